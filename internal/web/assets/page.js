// What the page can do beyond links and forms: it follows the files, knows some keys, and tells times as people do.
// Every page works without it.
'use strict';
(() => {
	const $ = (selector, in_ = document) => in_.querySelector(selector);
	const $$ = (selector, in_ = document) => [...in_.querySelectorAll(selector)];

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
	// left alone while it is the same as the server made it last, or while somebody is writing in it.
	const made = new WeakMap();
	const remember = part => { for (const live of $$('[data-live]', part)) for (const child of live.children) made.set(child, child.outerHTML); };
	remember(document);

	const busy = child => child.contains(document.activeElement) && document.activeElement.matches('input, textarea, select') ||
		$$('input[type=text], textarea', child).some(f => f.value !== f.defaultValue);

	function patch(page) {
		let news = 0;
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
				if (before) for (const details of $$('details[open][id]', before)) {
					const same = $('#' + CSS.escape(details.id), fresh);
					if (same) same.open = true;
				}
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
		return news;
	}

	// newer tells whoever is writing that the text has changed.
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
		const r = new XMLHttpRequest();
		r.open('GET', location.pathname + location.search);
		r.responseType = 'document';
		r.onloadend = () => {
			asked = false;
			if (r.status === 200 && r.response) {
				const news = patch(r.response);
				tell(news ? (news === 1 ? 'One entry is new or has changed.' : news + ' entries are new or have changed.') : 'Up to date.', true);
			} else if (r.status === 404 && $('[data-live]')) tell('What this page shows is not there any more.', false);
			if (again) { again = false; refresh(); }
		};
		r.send();
	}

	// Browsers allow few connections to one server: a page that nobody sees gives its own back.
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

	// Forms -------------------------------------------------------------------------------------------------------

	const filter = $('form[data-filter]');
	if (filter) {
		filter.addEventListener('change', e => { if (e.target.matches('select')) filter.requestSubmit(); });
		filter.addEventListener('submit', () => { // empty fields only lengthen the address
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

	// Keys --------------------------------------------------------------------------------------------------------

	const off = () => { try { return localStorage.getItem('keys') === 'off'; } catch { return false; } };
	const turn = on => { try { on ? localStorage.removeItem('keys') : localStorage.setItem('keys', 'off'); } catch { /* then it is for this page */ } };

	function wire(box) {
		const input = $('input', box);
		box.hidden = false;
		input.checked = !off();
		input.addEventListener('change', () => turn(input.checked));
	}
	for (const box of $$('[data-keys-switch]')) wire(box);

	function help() {
		let dialog = $('dialog');
		if (!dialog) {
			dialog = document.createElement('dialog');
			dialog.setAttribute('aria-labelledby', 'keys-title');
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
		const items = $$('[data-item]');
		if (!items.length) return;
		const at = items.findIndex(i => i.contains(document.activeElement));
		const to = items[at < 0 ? (by > 0 ? 0 : items.length - 1) : Math.min(items.length - 1, Math.max(0, at + by))];
		to.focus();
		to.scrollIntoView({ block: 'nearest' });
	}

	const pages = $$('nav[aria-label=Main] a:not([data-help])').slice(0, 9);

	document.addEventListener('keydown', e => {
		if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || $('dialog[open]')) return;
		const field = e.target.closest('input:not([type=radio]):not([type=checkbox]), textarea, select');
		if (field) {
			if (e.key === 'Escape') { (field.closest('[data-item]') || $('#main')).focus(); e.preventDefault(); }
			return;
		}
		const item = e.target.closest('[data-item]') || $('.single');
		const chosen = e.target.closest('[data-item]') === e.target;
		const act = () => {
			switch (e.key) {
			case 'ArrowDown': case 'ArrowUp':
				if (!chosen) return false;
				move(e.key === 'ArrowDown' ? 1 : -1);
				return true;
			case 'Enter':
				if (!chosen || !$('[data-open]', item)) return false;
				$('[data-open]', item).click();
				return true;
			}
			if (off()) return false;
			switch (e.key) {
			case 'j': move(1); return true;
			case 'k': move(-1); return true;
			case '?': help(); return true;
			case '/': {
				const find = $('[data-find]') || $('[data-seek]');
				if (!find) return false;
				find.focus();
				find.select();
				return true;
			}
			case 's': {
				const seek = $('[data-seek]') || $('[data-find]');
				if (!seek) return false;
				seek.focus();
				seek.select();
				return true;
			}
			case 'x': {
				const more = item && $('.more', item);
				if (!more) return false;
				more.open = true;
				$('input[type=text]', more).focus();
				return true;
			}
			}
			if (pages[e.key - 1]) { pages[e.key - 1].click(); return true; }
			const button = item && /^[a-z]$/.test(e.key) && $('[data-key="' + e.key + '"]', item);
			if (!button) return false;
			button.click();
			return true;
		};
		if (act()) e.preventDefault();
	});

	// Start -------------------------------------------------------------------------------------------------------

	for (const tab of $$('.tabs [aria-current], nav[aria-label=Main] [aria-current]')) { // what is chosen is seen
		const row = tab.parentElement;
		if (tab.offsetLeft + tab.offsetWidth > row.clientWidth) row.scrollLeft = tab.offsetLeft - 48;
	}
	tellTimes(document);
	setInterval(() => { if (!document.hidden) tellTimes(document); }, 60000);
	if (location.hash) {
		const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
		if (target && target.matches('[data-item]')) target.focus();
	}
	if (window.EventSource && document.body.dataset.stamp) follow();
})();
