// What the page can do beyond links and forms: it filters as you type, opens records beside their list, acts without leaving the
// list, finds anything by Ctrl-K, follows the files and tells times as people do. Every page works without it.
'use strict';
const stored = (name, value) => { // in this browser; it may refuse
	try { return value === undefined ? localStorage.getItem(name) : value ? localStorage.setItem(name, value) : localStorage.removeItem(name); } catch { return null; }
};
document.documentElement.classList.add('scripted');
if (stored('theme')) document.documentElement.dataset.theme = stored('theme');
document.addEventListener('DOMContentLoaded', () => {
	const $ = (selector, in_ = document) => in_.querySelector(selector);
	const $$ = (selector, in_ = document) => [...in_.querySelectorAll(selector)];
	const make = (tag, attributes = {}, ...children) => {
		const e = document.createElement(tag);
		for (const [name, value] of Object.entries(attributes)) if (value !== undefined) e.setAttribute(name, value);
		e.append(...children);
		return e;
	};
	// ask gets a page of this server and gives it to got, or tells that it does not answer.
	function ask(address, got, form) {
		const r = new XMLHttpRequest();
		r.open(form ? 'POST' : 'GET', address);
		r.responseType = 'document';
		r.onloadend = () => { if (r.response) got(r.response, r); else if (r.status === 0) tell('The server does not answer: this page may be old.', false); };
		r.send(form);
		return r;
	}

	// Times -------------------------------------------------------------------------------------------------------

	const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
	const steps = [[60, 'second', 1], [3600, 'minute', 60], [86400, 'hour', 3600], [30 * 86400, 'day', 86400]];

	function tellTimes(part) {
		for (const time of $$('time[datetime*="T"]', part)) {
			const then = new Date(time.dateTime);
			if (isNaN(then)) continue;
			time.title = then.toLocaleString();
			const ago = (Date.now() - then) / 1000;
			const step = steps.find(s => ago < s[0]);
			if (step && ago > -60) time.textContent = relative.format(-Math.max(0, Math.floor(ago / step[2])), step[1]);
		}
	}

	// Live --------------------------------------------------------------------------------------------------------

	// The parts marked data-live are made anew by the server when records change. A child is known by its id, and is
	// left alone while it is the same as the server made it last, or while the user is writing in it.
	const made = new WeakMap();
	const remember = part => { for (const live of $$('[data-live]', part)) for (const child of live.children) made.set(child, child.outerHTML); };
	remember(document);

	// keepOpen opens in a part that is made anew what the user had opened in it.
	function keepOpen(before, fresh) {
		for (const details of $$('details[open][id]', before)) {
			const same = $('#' + CSS.escape(details.id), fresh);
			if (same) same.open = true;
		}
	}
	const busy = child => child.contains(document.activeElement) && document.activeElement.matches('input:not([type=checkbox]), textarea, select') ||
		$$('input[type=text], textarea', child).some(f => f.value !== f.defaultValue);

	// older reports whether a page was made before what this one shows.
	function older(page) {
		const [run, n] = (page.body && page.body.dataset.stamp || '').split('-'), [here, shows] = (document.body.dataset.stamp || '').split('-');
		return run === here && Number(n) < Number(shows);
	}

	function patch(page) {
		let news = 0;
		if (older(page)) { refresh(); return news; }
		for (const live of $$('[data-live]')) {
			const now = page.getElementById(live.id);
			if (!now) continue;
			live.hidden = now.hidden;
			const old = new Map([...live.children].map(c => [c.id, c]));
			const firstTime = live.children.length === 0 || $('.empty', live) !== null;
			const next = [...now.childNodes].map(node => {
				if (node.nodeType !== Node.ELEMENT_NODE) return document.importNode(node, true);
				const before = node.id ? old.get(node.id) : [...live.children].find(c => made.get(c) === node.outerHTML);
				if (before && (made.get(before) === node.outerHTML || busy(before))) return before;
				const fresh = document.importNode(node, true);
				made.set(fresh, node.outerHTML);
				if (before) keepOpen(before, fresh);
				if (before && before.matches('.entry.open')) fresh.classList.add('open');
				if (fresh.matches('[data-item]')) {
					if (!before && !firstTime) fresh.classList.add('fresh');
					news++;
				}
				tellTimes(fresh);
				return fresh;
			});
			const focused = live.contains(document.activeElement) ? document.activeElement : null;
			const path = focused && focused.closest('[id]') ? focused.closest('[id]').id : '';
			// What stays is not touched: a node that is taken out and put back loses its focus and the click that is under way.
			const stays = new Set(next);
			for (const node of [...live.childNodes]) if (!stays.has(node)) node.remove();
			let at = live.firstChild;
			for (const node of next) {
				if (node === at) at = at.nextSibling;
				else live.insertBefore(node, at);
			}
			if (focused && !document.contains(focused) && path) {
				const again = document.getElementById(path);
				if (again) (again.matches('[tabindex], a, button, input, summary') ? again : again.closest('[data-item]') || document.body).focus();
			} else if (focused && document.activeElement !== focused && document.contains(focused)) focused.focus();
		}
		const stamp = page.body && page.body.dataset.stamp;
		if (stamp) document.body.dataset.stamp = stamp;
		newer(page);
		finish();
		return news;
	}

	// finish gets the part of a page that takes longer than the rest.
	function finish() {
		const then = $('[data-live] a[data-then]');
		if (then) ask(then.href, (page, r) => {
			then.removeAttribute('data-then');
			if (r.status === 200) patch(page);
		});
	}

	// newer tells the user who is writing that the text has changed.
	function newer(page) {
		const form = $('form[data-edit]'), there = $('form[data-edit]', page), note = $('#newer');
		if (form && there && note) note.hidden = form.elements.if_match.value === there.elements.if_match.value;
	}

	const light = $('#live');
	function tell(text, on) {
		if (!light) return;
		light.hidden = false;
		light.classList.toggle('on', on);
		if (light.textContent !== text) light.textContent = text;
	}

	let stream = null, asked = false, again = false;
	function refresh() {
		if (asked) { again = true; return; }
		asked = true;
		ask(location.pathname + location.search, (page, r) => {
			if (r.status === 200) {
				const news = patch(page);
				tell(news ? (news === 1 ? 'One entry is new or has changed.' : news + ' entries are new or have changed.') : 'Up to date.', true);
				if (opened) show(opened, true);
			} else if (r.status === 404 && $('[data-live]')) tell('What this page shows is not there any more.', false);
		}).addEventListener('loadend', () => {
			asked = false;
			if (again) { again = false; refresh(); }
		});
	}

	// Browsers allow few connections to one server: a hidden page closes its own.
	function follow() {
		if (document.hidden || !document.body.dataset.stamp) {
			if (stream) stream.close();
			stream = null;
			return;
		}
		if (stream) return;
		stream = new EventSource('/live?since=' + encodeURIComponent(document.body.dataset.stamp));
		stream.addEventListener('open', () => tell('This page follows the files.', true));
		stream.addEventListener('change', refresh);
		stream.addEventListener('error', () => {
			tell('The server does not answer: this page may be old.', false);
			if (stream && stream.readyState === EventSource.CLOSED) { stream = null; setTimeout(follow, 5000); }
		});
	}
	document.addEventListener('visibilitychange', follow);
	addEventListener('pageshow', e => { if (e.persisted) { refresh(); follow(); } });
	addEventListener('pagehide', () => { if (stream) stream.close(); stream = null; });

	// Rows --------------------------------------------------------------------------------------------------------

	const panel = $('#panel'), split = $('.split');
	const items = () => $$('[data-item]').filter(i => !i.closest('#panel') && i.checkVisibility());
	const current = () => document.activeElement.closest('[data-item]') || opened && document.getElementById(opened) || null;
	const wide = () => matchMedia('(min-width: 60rem)').matches;
	const writing = () => $$('input[type=text], textarea', panel).find(f => f.value !== f.defaultValue || f === document.activeElement);
	let opened = '', shown = '', source = '', waits = 0;

	function choose(item) {
		if (!item) return;
		item.focus({ preventScroll: true });
		item.scrollIntoView({ block: 'nearest' });
		if (panel && (opened || split.dataset.queue !== undefined && wide())) { clearTimeout(waits); waits = setTimeout(() => show(item.id), 60); }
	}

	// show opens the record of a row beside the list; again reads the open one anew, unless the user writes in it.
	function show(id, anew) {
		const row = document.getElementById(id), to = row && $('[data-open]', row);
		if (!to) { if (anew) close(); return; }
		if (anew && writing()) return;
		opened = id;
		for (const r of $$('.entry.open')) r.classList.toggle('open', r === row);
		row.classList.add('open');
		ask(to.href, (page, r) => {
			const field = writing(), from = r.status === 200 && $('article.single, article.record', page) || $('main', page);
			if (opened !== id || shown === id && (field || from.outerHTML === source)) return; // the user may have begun to write in it meanwhile
			source = from.outerHTML;
			const typing = field === document.activeElement;
			const head = make('div', { class: 'panel-bar' }), shut = make('button', { class: 'tool', type: 'button', 'aria-label': 'Close' }, '×');
			const copy = make('button', { class: 'quiet', type: 'button' }, 'Copy link');
			head.append(make('span', { class: 'grow' }, make('a', { href: to.href }, 'Open the page')), copy, shut);
			copy.addEventListener('click', () => copied(to.href));
			shut.addEventListener('click', close);
			const text = document.importNode(from, true);
			text.removeAttribute('data-live');
			if (text.id === 'main') text.removeAttribute('id');
			for (const h of $$('h1', text)) {
				const h2 = make('h2', h.id ? { id: h.id, class: h.className } : {});
				h2.append(...h.childNodes);
				h.replaceWith(h2);
			}
			for (const e of $$('[data-item]', text)) e.removeAttribute('data-item');
			const at = panel.scrollTop;
			keepOpen(panel, text);
			panel.replaceChildren(head, text);
			panel.hidden = false;
			split.classList.add('beside');
			panel.scrollTop = anew && shown === id ? at : 0;
			shown = id;
			tellTimes(panel);
			const same = typing && field.name && $('[name=' + field.name + ']', panel); // the keys that follow stay text
			if (same) {
				if (same.closest('details')) same.closest('details').open = true;
				same.value = field.value;
				same.focus();
			}
		});
	}
	function close() {
		const row = document.getElementById(opened);
		opened = shown = '';
		panel.hidden = true;
		panel.replaceChildren();
		split.classList.remove('beside');
		for (const r of $$('.entry.open')) r.classList.remove('open');
		if (row) row.focus();
	}
	if (panel) document.addEventListener('click', e => {
		const link = e.target.closest('#rows [data-open]');
		if (!link || e.ctrlKey || e.metaKey || e.shiftKey || e.button) return;
		e.preventDefault();
		const row = link.closest('[data-item]');
		row.focus({ preventScroll: true });
		show(row.id);
	});

	function picked() {
		const form = $('#bulk');
		if (!form) return;
		const n = $$('#rows input[name=item]:checked').length;
		form.classList.toggle('some', n > 0);
		$('#picked').textContent = n ? n + ' selected:' : '';
	}
	document.addEventListener('change', e => { if (e.target.matches('#rows input[type=checkbox]')) picked(); });
	picked();

	// Actions -----------------------------------------------------------------------------------------------------

	let goes = 0;
	function toast(said) {
		for (const old of $$('.toast')) old.remove();
		if (!said) return;
		const t = make('div', { class: 'toast', role: 'status' });
		t.append(...document.importNode(said, true).childNodes);
		document.body.append(t);
		clearTimeout(goes);
		goes = setTimeout(() => t.remove(), 12000);
	}
	const copied = text => navigator.clipboard.writeText(text).then(() => toast(make('div', {}, make('p', {}, 'Copied.'))));

	// listOf is the list that an address shows, without the message of an action.
	function listOf(address) {
		const url = new URL(address);
		for (const name of ['done', 'undo', 'item', 'did', 'of']) url.searchParams.delete(name);
		url.searchParams.sort();
		return url.pathname + url.search;
	}

	// Forms marked data-act are sent without leaving the list; the next row is chosen when this one is gone.
	document.addEventListener('submit', e => {
		const form = e.target;
		if (!form.matches('[data-act]')) return;
		e.preventDefault();
		const body = new URLSearchParams(new FormData(form, e.submitter));
		for (const f of $$('[name=reason]', form)) f.value = '';
		if (!$('#rows')) {
			ask(form.getAttribute('action'), (page, r) => {
				const there = new URL(r.responseURL);
				if (r.status === 200 && there.pathname !== location.pathname) { location.assign(there); return; }
				toast($('.said', page) || $('.empty', $('main', page)));
				if (r.status === 200) patch(page);
				else refresh();
			}, body);
			return;
		}
		const row = form.closest('[data-item]') || form.closest('#panel') && document.getElementById(opened), list = items(), at = list.indexOf(row);
		const to = form.id === 'bulk' || row || form.closest('.said, .toast') ? form.getAttribute('action') : '';
		ask(to, (page, r) => {
			const said = $('.said', page) || $('.empty', $('main', page));
			if (r.status !== 200) { toast(said); refresh(); return; }
			toast(said);
			const done = next => {
				patch(next);
				picked();
				if (at < 0) { if (opened) show(opened, true); return; }
				const same = document.getElementById(row.id), now = items();
				if (same && !split.hasAttribute('data-queue')) { same.focus({ preventScroll: true }); if (opened) show(same.id, true); return; }
				if (!now.length) { if (opened) close(); return; }
				choose(same || now[Math.min(at, now.length - 1)]);
			};
			if ($('#rows', page) && listOf(r.responseURL) === listOf(location)) done(page);
			else ask(location.pathname + location.search, done);
		}, body);
	});

	// Filters -----------------------------------------------------------------------------------------------------

	const filter = $('form[data-filter]');
	if (filter) {
		let typed = 0;
		const apply = () => {
			const q = new URLSearchParams([...new FormData(filter)].filter(pair => pair[1] !== ''));
			const to = filter.getAttribute('action') + (q.size ? '?' + q : '');
			ask(to, (page, r) => {
				if (r.status !== 200) return;
				history.replaceState(null, '', to);
				patch(page);
				picked();
				if (opened && !document.getElementById(opened)) close();
			});
		};
		if ($('#rows')) {
			filter.addEventListener('input', () => { clearTimeout(typed); typed = setTimeout(apply, 120); });
			filter.addEventListener('submit', e => { e.preventDefault(); clearTimeout(typed); apply(); });
		} else filter.addEventListener('submit', () => { // empty fields only lengthen the address
			for (const f of filter.elements) if (f.name && f.value === '') f.disabled = true;
			setTimeout(() => { for (const f of filter.elements) f.disabled = false; });
		});
	}
	const edit = $('form[data-edit]');
	if (edit) {
		let sent = false;
		edit.addEventListener('submit', () => { sent = true; });
		addEventListener('pageshow', () => { sent = false; });
		addEventListener('beforeunload', e => { if (!sent && edit.elements.content.value !== edit.elements.content.defaultValue) e.preventDefault(); });
		edit.addEventListener('keydown', e => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) edit.requestSubmit(); });
	}
	document.addEventListener('click', e => {
		const link = e.target.closest('[data-copy]');
		if (!link) return;
		e.preventDefault();
		if (link.dataset.copy) { copied($(link.dataset.copy).textContent); return; }
		const r = new XMLHttpRequest();
		r.open('GET', link.href);
		r.onload = () => copied(r.responseText);
		r.send();
	});
	for (const b of $$('button[data-copy]')) b.hidden = false;
	function turnTheme() {
		const now = document.documentElement.dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
		stored('theme', document.documentElement.dataset.theme = now === 'dark' ? 'light' : 'dark');
	}
	for (const b of $$('[data-theme-switch]')) { b.hidden = false; b.addEventListener('click', turnTheme); }

	// The chain of a decision lights up on the timeline.
	const map = $('.map svg');
	if (map) map.closest('.map').scrollLeft = map.clientWidth; // the newest are seen
	if (map) map.addEventListener('mouseover', e => {
		const dot = e.target.closest('[data-dot]'), lit = new Set();
		for (const l of $$('.lit', map)) l.classList.remove('lit');
		map.classList.toggle('lit-on', dot !== null);
		if (!dot) return;
		const lines = $$('.thread', map);
		for (const [from, to] of [['from', 'to'], ['to', 'from']]) {
			for (let next = [dot.dataset.dot]; next.length;) {
				const n = next.pop();
				lit.add(n);
				for (const l of lines) if (l.dataset[from] === n && !l.classList.contains('lit')) { l.classList.add('lit'); next.push(l.dataset[to]); }
			}
		}
		for (const d of $$('[data-dot]', map)) d.classList.toggle('lit', lit.has(d.dataset.dot));
	});

	// The way to find anything ------------------------------------------------------------------------------------

	const nameOf = e => e.getAttribute('aria-label') || e.textContent.trim();
	let palette = null;
	function find() {
		if (!palette) {
			const input = make('input', { type: 'search', role: 'combobox', 'aria-expanded': 'true', 'aria-controls': 'palette-list', 'aria-label': 'Find a record, page or action', placeholder: 'Find a record, page or action', autocomplete: 'off' });
			const list = make('ul', { id: 'palette-list', role: 'listbox', 'aria-label': 'Found' }), facets = make('p', { class: 'facets' });
			palette = make('dialog', { class: 'palette', 'aria-label': 'Find' }, input, list, facets);
			document.body.append(palette);
			let records = [], at = 0, typed = 0, asking = null;
			const commands = () => [
				...$$('nav[aria-label=Main] a').map(a => ({ text: a.textContent, kind: 'page', go: () => a.click() })),
				...[...new Map([...$$('[data-key]', current() || $('.single') || document.createElement('p')), ...$$('.toast [data-key]'), ...$$('[data-command]')].map(b => [nameOf(b), b])).values()]
					.map(b => ({ text: nameOf(b), kind: 'action', go: () => b.click() })),
				{ text: 'Light or dark', kind: 'action', go: turnTheme }, { text: 'Keyboard shortcuts', kind: 'page', go: help },
			];
			const draw = () => {
				const words = input.value.toLowerCase().split(/\s+/);
				const all = [...commands().filter(c => words.every(w => c.text.toLowerCase().includes(w))).slice(0, input.value ? 4 : 20), ...records];
				at = Math.max(0, Math.min(at, all.length - 1));
				list.replaceChildren(...all.map((c, n) => {
					const li = make('li', { role: 'option', id: 'found-' + n, 'aria-selected': String(n === at) }, make('span', { class: 'type' }, c.kind), make('span', { class: 'name' }, c.text));
					if (c.state) li.append(make('span', { class: c.stateClass }, c.state));
					li.addEventListener('click', () => run(c));
					return li;
				}));
				input.setAttribute('aria-activedescendant', all.length ? 'found-' + at : '');
				const chosen = list.children[at];
				if (chosen) chosen.scrollIntoView({ block: 'nearest' });
				return all;
			};
			const run = c => { palette.close(); c.go(); };
			const seek = () => {
				if (asking) asking.abort();
				const q = input.value.trim();
				if (!q) { records = []; facets.replaceChildren(); draw(); return; }
				asking = ask('/search?q=' + encodeURIComponent(q), page => {
					records = $$('.entry', page).slice(0, 12).map(r => {
						const state = $('.state', r), link = $('[data-open]', r);
						return { kind: $('.type', r).textContent, text: r.getAttribute('aria-label'), state: state && state.textContent, stateClass: state && state.className, go: () => { if (link) location.assign(link.getAttribute('href')); } };
					});
					facets.replaceChildren(...$$('#tabs a', page).map(a => make('a', { href: a.getAttribute('href') }, a.textContent.trim())));
					draw();
				});
			};
			input.addEventListener('input', () => { at = 0; draw(); clearTimeout(typed); typed = setTimeout(seek, 70); });
			input.addEventListener('keydown', e => {
				if (e.key === 'ArrowDown' || e.key === 'ArrowUp') at += e.key === 'ArrowDown' ? 1 : -1;
				else if (e.key === 'Enter') { const c = draw()[at]; if (c) run(c); } else return;
				e.preventDefault();
				draw();
			});
			palette.open_ = () => { input.value = ''; records = []; at = 0; facets.replaceChildren(); draw(); };
		}
		palette.open_();
		palette.showModal();
	}

	// Keys --------------------------------------------------------------------------------------------------------

	const off = () => stored('keys') === 'off';

	function wire(box) {
		const input = $('input', box);
		box.hidden = false;
		input.checked = !off();
		input.addEventListener('change', () => stored('keys', input.checked ? '' : 'off'));
	}
	for (const box of $$('[data-keys-switch]')) wire(box);

	function help() {
		let dialog = $('dialog.help-list');
		if (!dialog) {
			dialog = document.createElement('dialog');
			dialog.setAttribute('aria-labelledby', 'keys-title');
			dialog.className = 'help-list';
			const title = document.createElement('h2');
			title.id = 'keys-title';
			title.textContent = 'Keyboard shortcuts';
			const row = document.createElement('p'), label = document.createElement('label'), input = document.createElement('input');
			row.className = 'row';
			input.type = 'checkbox';
			label.append(input, ' single keys are on');
			row.append(label);
			const form = document.createElement('form'), close = document.createElement('button');
			form.method = 'dialog';
			close.textContent = 'Close';
			close.autofocus = true;
			form.append(close);
			dialog.append(title, document.importNode($('#keys-list').content, true), row, form);
			wire(row);
			document.body.append(dialog);
		}
		dialog.showModal();
	}
	for (const a of $$('[data-help]')) a.addEventListener('click', e => { if (!e.ctrlKey && !e.metaKey && !e.shiftKey) { e.preventDefault(); help(); } });

	function move(by) {
		const all = items(), item = current();
		if (!all.length) return;
		const at = all.indexOf(item);
		choose(all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))]);
	}
	function into(field) {
		if (!field) return false;
		field.focus();
		field.select();
		return true;
	}
	const press = button => { if (button) button.click(); return Boolean(button); };
	const pages = $$('nav[aria-label=Main] a').slice(0, 9);
	const keys = {
		j: () => { move(1); return true; },
		k: () => { move(-1); return true; },
		'?': () => { help(); return true; },
		'/': () => into($('[data-find]') || $('[data-seek]')),
		s: () => into($('[data-seek]') || $('[data-find]')),
		u: () => press($('.toast [data-key=u], .said [data-key=u]')),
		o: item => { if (item && panel && $('[data-open]', item)) { show(item.id); return true; } return item && press($('[data-open]', item)); },
		R: () => {
			const more = [...$$('details.more', panel || document)].find(d => $('[name=reason]', d));
			if (more) more.open = true;
			return Boolean(more) && into($('[name=reason]', more));
		},
		x: item => { const box = item && $('input[type=checkbox]', item); return press(box); },
	};
	document.addEventListener('keydown', e => {
		if ((e.ctrlKey || e.metaKey) && !e.shiftKey && !e.altKey && e.key.toLowerCase() === 'k') {
			e.preventDefault();
			if (!$('dialog[open]')) find();
			return;
		}
		if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || $('dialog[open]')) return;
		const field = e.target.closest('input:not([type=radio]):not([type=checkbox]), textarea, select');
		if (field) {
			if (e.key === 'Escape') { (field.closest('[data-item]') || $('#main')).focus(); e.preventDefault(); }
			return;
		}
		const item = current() || $('.single'), chosen = e.target.closest('[data-item]') === e.target;
		const act = () => {
			switch (e.key) {
			case 'ArrowDown': case 'ArrowUp':
				if (!chosen) return false;
				move(e.key === 'ArrowDown' ? 1 : -1);
				return true;
			case 'Enter':
				return chosen && keys.o(item);
			case 'Escape':
				if (!opened) return false;
				close();
				return true;
			}
			if (off()) return false;
			if (keys[e.key]) return keys[e.key](item);
			if (pages[e.key - 1]) return press(pages[e.key - 1]);
			if (!/^[a-z]$/.test(e.key)) return false;
			const key = '[data-key="' + e.key + '"]';
			return press(item && $(key, item) || opened && $(key, panel));
		};
		if (act()) e.preventDefault();
	});

	// Start -------------------------------------------------------------------------------------------------------

	for (const tab of $$('.tabs [aria-current], nav[aria-label=Main] [aria-current]')) { // what is chosen is seen
		const row = tab.parentElement;
		if (tab.offsetLeft + tab.offsetWidth > row.clientWidth) row.scrollLeft = tab.offsetLeft - 48;
	}
	tellTimes(document);
	finish();
	setInterval(() => { if (!document.hidden) tellTimes(document); }, 60000);
	const here = new URL(location.href);
	if (here.searchParams.has('done')) {
		for (const name of ['done', 'undo', 'item', 'did', 'of']) here.searchParams.delete(name);
		history.replaceState(null, '', here);
	}
	if (location.hash) {
		const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
		if (target && target.matches('[data-item]')) target.focus();
	} else if (split && split.hasAttribute('data-queue') && wide() && items().length) show(items()[0].id);
	if (window.EventSource && document.body.dataset.stamp) follow();
});
