// `sdd setup --hooks opencode` wrote this file; `sdd setup --remove --hooks opencode` takes it away.
import { spawn } from "node:child_process"

const program = "PROGRAM"
const tools = ["read", "edit", "multiedit", "write", "patch", "apply_patch"]

// call runs the hook and returns what it prints, nothing on any trouble.
const call = (event) =>
  new Promise((done) => {
    try {
      let out = ""
      const child = spawn(program, ["hook", "opencode"], {
        cwd: event.cwd, stdio: ["pipe", "pipe", "ignore"], timeout: 10000, windowsHide: true,
      })
      child.on("error", () => done(""))
      child.on("close", (code) => done(code === 0 ? out.trim() : ""))
      child.stdout.setEncoding("utf8").on("data", (data) => (out += data))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(event))
    } catch {
      done("")
    }
  })

export const Sdd = async ({ directory }) => {
  const starts = new Map() // the text of each session: the same one for every call of the model, so that its cache holds
  const args = new Map() // of running tools
  return {
    event: async ({ event }) => {
      const session = event.properties?.sessionID
      if (event.type === "session.compacted" && session)
        starts.set(session, call({ hook_event_name: "start", source: "compact", session_id: session, cwd: directory }))
    },
    "experimental.chat.system.transform": async (input, output) => {
      const session = input?.sessionID
      if (!session) return
      if (!starts.has(session)) starts.set(session, call({ hook_event_name: "start", session_id: session, cwd: directory }))
      const text = await starts.get(session)
      if (text) output.system.push(text)
    },
    "tool.execute.before": async (input, output) => {
      if (tools.includes(input.tool)) args.set(input.callID, output.args)
    },
    "tool.execute.after": async (input, output) => {
      if (!tools.includes(input.tool)) return
      const given = args.get(input.callID)
      args.delete(input.callID)
      const text = await call({
        hook_event_name: "file", session_id: input.sessionID, cwd: directory, tool_name: input.tool, tool_input: given,
      })
      if (text && typeof output.output === "string") output.output += "\n\n" + text
    },
  }
}
