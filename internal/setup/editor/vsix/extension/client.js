'use strict';
// A client of a language server: it starts the program, exchanges JSON-RPC messages over standard input and output, and starts it again
// when it ends by itself. It knows nothing of VS Code.

const { spawn } = require('child_process');

const maxStarts = 5; // within restartWindow
const restartWindow = 3 * 60 * 1000; // milliseconds
const stopPatience = 2000; // milliseconds

class Client {
  // handlers: ready(result) after each start, notified(method, params), asked(method, params), failed(text) when it gives up, log(text).
  constructor(command, args, folder, initialize, handlers) {
    Object.assign(this, { command, args, folder, initialize, handlers });
    this.starts = [];
    this.pending = new Map();
    this.next = 1;
    this.running = false; // the server is initialized
    this.stopped = false;
  }

  start() {
    const now = Date.now();
    this.starts = this.starts.filter(t => now - t < restartWindow);
    if (this.starts.length >= maxStarts) {
      this.handlers.failed(`the language server ended ${maxStarts} times`);
      return;
    }
    this.starts.push(now);
    const child = spawn(this.command, this.args, { cwd: this.folder, windowsHide: true });
    this.child = child;
    this.buffer = Buffer.alloc(0);
    let over = false;
    const ended = why => {
      if (over) return;
      over = true;
      this.end(child, why);
    };
    child.on('error', e => (child.pid === undefined ? this.missing(ended, e) : ended(e.message)));
    child.on('close', code => ended(`exit code ${code}`));
    child.stdin.on('error', () => {}); // close follows
    child.stderr.on('data', d => this.handlers.log(d.toString()));
    child.stdout.on('data', d => {
      try {
        this.read(child, d);
      } catch (e) {
        this.handlers.log(`the server's output cannot be read: ${e.message}`);
        child.kill();
      }
    });
    this.request('initialize', this.initialize()).then(result => {
      this.notify('initialized', {});
      this.running = true;
      this.handlers.ready(result);
    }).catch(e => this.handlers.log(`initialize: ${e.message}`));
  }

  missing(ended, e) {
    this.stopped = true; // another start would fail in the same way
    ended(e.message);
    this.handlers.failed(`${this.command} does not start: ${e.message}`);
  }

  end(child, why) {
    if (this.child !== child) return;
    this.child = undefined;
    this.running = false;
    for (const { reject } of this.pending.values()) reject(new Error(`the server ended: ${why}`));
    this.pending.clear();
    if (this.stopped) return;
    this.handlers.log(`the server ended: ${why}`);
    this.start();
  }

  // stop ends the server, politely first.
  async stop() {
    this.stopped = true;
    const child = this.child;
    if (!child) return;
    const closed = new Promise(resolve => child.once('close', resolve));
    const timer = setTimeout(() => child.kill('SIGKILL'), stopPatience);
    try {
      await this.request('shutdown');
      this.notify('exit');
    } catch (e) {
      child.kill();
    }
    await closed;
    clearTimeout(timer);
  }

  // request rejects when the server answers with an error, or ends. token is a CancellationToken of VS Code.
  request(method, params, token) {
    if (!this.child) return Promise.reject(new Error('the server is not running'));
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.send({ id, method, params });
      if (token) token.onCancellationRequested(() => this.pending.has(id) && this.notify('$/cancelRequest', { id }));
    });
  }

  notify(method, params) {
    if (this.child) this.send({ method, params });
  }

  send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    this.child.stdin.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
  }

  // read takes the messages that are complete from the output. It throws when the output is no message.
  read(child, data) {
    this.buffer = Buffer.concat([this.buffer, data]);
    for (;;) {
      const head = this.buffer.indexOf('\r\n\r\n');
      if (head < 0 && this.buffer.length > 4096) throw new Error('no header');
      if (head < 0) return;
      const length = /^content-length: *(\d+)\s*$/im.exec(this.buffer.toString('latin1', 0, head));
      if (!length) throw new Error('a header without a length');
      const end = head + 4 + Number(length[1]);
      if (this.buffer.length < end) return;
      const message = JSON.parse(this.buffer.toString('utf8', head + 4, end));
      this.buffer = this.buffer.subarray(end);
      if (this.child === child) this.receive(message);
    }
  }

  async receive({ id, method, params, result, error }) {
    if (method === undefined) {
      const call = this.pending.get(id);
      this.pending.delete(id);
      if (call && error) call.reject(Object.assign(new Error(error.message), { code: error.code }));
      else if (call) call.resolve(result);
    } else if (id === undefined) {
      this.handlers.notified(method, params);
    } else {
      const answer = { id };
      try {
        const value = await this.handlers.asked(method, params);
        answer.result = value === undefined ? null : value;
      } catch (e) {
        answer.error = { code: e.code || -32603, message: e.message };
      }
      if (this.child) this.send(answer);
    }
  }
}

module.exports = { Client };
