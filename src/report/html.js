/* script.js - sorting, searching and moving about in the pages that tally html writes. */
"use strict";

const root = document.documentElement;
root.classList.add("js");

/* remember - store a choice for all pages, or look it up; null if the browser stores none. */
function remember(key, value) {
	try {
		if (value !== undefined)
			localStorage.setItem("tally-" + key, value);
		return localStorage.getItem("tally-" + key);
	} catch (e) {
		return null;
	}
}

/* Light, dark, or the system's choice. */
const themes = ["auto", "light", "dark"];
function settheme(theme) {
	if (theme === "light" || theme === "dark")
		root.dataset.theme = theme;
	else
		delete root.dataset.theme;
	return themes.includes(theme) ? theme : "auto";
}
settheme(remember("theme"));

function themebutton() {
	const button = document.getElementById("theme");
	let now = settheme(remember("theme"));
	const say = () => button.textContent = "Theme: " + now;
	button.addEventListener("click", () => {
		now = settheme(themes[(themes.indexOf(now) + 1) % themes.length]);
		remember("theme", now);
		say();
	});
	say();
}

/* Tables.  A row is text; rows that are not in the page are in a script of their own, which calls
 * more(). */
const SHOWN = 500;
const waiting = {};
function more(name, rows) {
	waiting[name](rows);
}

class Sortable {
	constructor(table) {
		this.table = table;
		this.body = table.tBodies[0];
		this.rows = null;
		this.rest = table.parentNode.querySelector(".rest");
		this.whole = !this.rest;
		this.most = SHOWN;
		this.words = "";
		Array.from(table.tHead.rows[0].cells).forEach((cell, i) => {
			const button = cell.querySelector("button");
			if (button)
				button.addEventListener("click", () => this.sort(cell, i));
		});
	}
	/* all - call a function once all rows are loaded. */
	all(then) {
		if (!this.rows)
			this.rows = Array.from(this.body.rows, row => row.outerHTML);
		if (this.whole)
			return then();
		const name = this.table.dataset.name;
		waiting[name] = rows => {
			if (!this.whole)
				this.rows = this.rows.concat(rows);
			this.whole = true;
			then();
		};
		const script = document.createElement("script");
		script.src = name + ".js";
		document.head.append(script);
	}
	/* key - by what a row is sorted: a number or a text. */
	key(row, i) {
		const cell = row.split(/<t[dh][ >]/)[i + 1] || "";
		const value = /^[^>]*data-v="([^"]*)"/.exec(cell);
		return value ? Number(value[1]) : this.text(cell.slice(cell.indexOf(">") + 1)).toLowerCase();
	}
	text(html) {
		return html.replace(/<[^>]*>/g, "").replace(/&#(\d+);/g, (all, n) => String.fromCodePoint(n))
			.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"').replace(/&amp;/g, "&");
	}
	sort(head, i) {
		this.all(() => {
			const was = head.getAttribute("aria-sort"), numbers = head.classList.contains("n");
			const down = was ? was === "ascending" : numbers, sign = down ? -1 : 1;
			const keyed = this.rows.map((row, at) => [this.key(row, i), row, at]);
			for (const cell of head.parentNode.cells)
				cell.removeAttribute("aria-sort");
			head.setAttribute("aria-sort", down ? "descending" : "ascending");
			keyed.sort((a, b) => a[0] < b[0] ? -sign : a[0] > b[0] ? sign : a[2] - b[2]);
			this.rows = keyed.map(entry => entry[1]);
			this.show();
		});
	}
	search(words) {
		this.words = words.toLowerCase();
		this.all(() => this.show());
	}
	show() {
		let rows = this.rows;
		if (this.words) {
			const names = this.names = this.names || new Map();
			rows = rows.filter(row => {
				let name = names.get(row);
				if (name === undefined)
					names.set(row, name = this.text(row.slice(0, row.indexOf("</th>"))).toLowerCase());
				return name.includes(this.words);
			});
		}
		this.body.innerHTML = rows.slice(0, this.most).join("");
		this.table.dataset.found = rows.length;
		if (!this.rest)
			return;
		this.rest.textContent = "";
		if (rows.length > this.most) {
			const button = document.createElement("button");
			button.textContent = "Show all";
			button.addEventListener("click", () => {
				this.most = Infinity;
				this.show();
			});
			this.rest.append("The first " + this.most + " of " + rows.length + " are shown. ", button);
		}
	}
}

/* The search covers all tables; Enter goes to the first row found, file:line to that line. */
function searching(tables) {
	const input = document.getElementById("search");
	if (!input)
		return;
	let timer;
	const go = () => {
		const words = input.value.trim().replace(/:\d*$/, "");
		for (const table of tables)
			table.search(words);
	};
	input.addEventListener("input", () => {
		clearTimeout(timer);
		timer = setTimeout(go, 80);
	});
	input.addEventListener("keydown", event => {
		if (event.key !== "Enter")
			return;
		clearTimeout(timer);
		go();
		const link = tables.map(t => t.body.querySelector("th a")).find(a => a);
		const line = /:(\d+)$/.exec(input.value.trim());
		if (link)
			location.href = line ? link.href.replace(/(\.html)?(#.*)?$/, part(input.dataset, Number(line[1]))) : link.href;
	});
	document.addEventListener("keydown", event => {
		if (event.key === "/" && !/INPUT/.test(event.target.tagName)) {
			event.preventDefault();
			input.focus();
		}
	});
}

/* part - the end of a line's URL: long files have several pages. */
function part(data, line) {
	const n = Math.floor((line - 1) / Number(data.lines));
	return (n > 0 ? "." + (n + 1) : "") + ".html#L" + line;
}

/* Pages of sources: go to a line, or to the next line that never ran. */
function walking() {
	const form = document.getElementById("goto");
	if (!form)
		return;
	const box = document.getElementById("showinsns");
	box.checked = remember("insns") === "1";
	box.addEventListener("change", () => remember("insns", box.checked ? "1" : "0"));
	form.addEventListener("submit", event => {
		event.preventDefault();
		const line = parseInt(form.elements.line.value, 10);
		if (line > 0 && document.getElementById("L" + line))
			location.hash = "L" + line;
		else if (line > 0)
			location.href = form.dataset.page + part(form.dataset, line);
	});
	const step = by => {
		const rows = Array.from(document.querySelectorAll(".code tr.never"));
		const here = document.querySelector(".code tr:target");
		const first = rows.filter((row, i) => i === 0 || row.previousElementSibling !== rows[i - 1]);
		const at = here ? Number(here.id.slice(1)) : 0;
		const next = by > 0 ? first.find(row => Number(row.id.slice(1)) > at)
			: first.reverse().find(row => Number(row.id.slice(1)) < at);
		if (next)
			location.hash = next.id;
	};
	document.getElementById("behind").addEventListener("click", () => step(1));
	document.getElementById("before").addEventListener("click", () => step(-1));
	document.addEventListener("keydown", event => {
		if (/INPUT/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (event.key === "n" || event.key === "p")
			step(event.key === "n" ? 1 : -1);
	});
}

/* Flow graphs: a click on an edge leads to its other end; what is under the pointer is lit. */
function graph() {
	const frame = document.querySelector("div.graph"), svg = frame && frame.querySelector("svg");
	if (!svg)
		return;
	const box = svg.viewBox.baseVal, wide = box.width, high = box.height;
	let scale = 1;
	const zoom = to => {
		const x = (frame.scrollLeft + frame.clientWidth / 2) / scale, y = (frame.scrollTop + frame.clientHeight / 2) / scale;
		scale = Math.min(3, Math.max(.05, to));
		svg.setAttribute("width", wide * scale);
		svg.setAttribute("height", high * scale);
		frame.scrollTo(x * scale - frame.clientWidth / 2, y * scale - frame.clientHeight / 2);
	};
	document.getElementById("larger").addEventListener("click", () => zoom(scale * 1.25));
	document.getElementById("smaller").addEventListener("click", () => zoom(scale / 1.25));
	document.getElementById("fit").addEventListener("click", () => zoom(Math.min(1, (frame.clientWidth - 4) / wide, (frame.clientHeight - 4) / high)));
	const show = block => {
		const r = block.getBoundingClientRect(), f = frame.getBoundingClientRect();
		frame.scrollBy(r.left + r.width / 2 - f.left - f.width / 2, r.top + r.height / 2 - f.top - f.height / 2);
	};
	const near = (event, path, at) => {
		const p = path.getPointAtLength(at).matrixTransform(path.getScreenCTM());
		return Math.hypot(p.x - event.clientX, p.y - event.clientY);
	};
	const ends = edge => edge.dataset.ends.split(" ").map(id => document.getElementById(id));
	svg.addEventListener("click", event => {
		const edge = event.target.closest("a.edge");
		if (!edge)
			return;
		event.preventDefault();
		const [src, dst] = ends(edge), path = edge.querySelector("path");
		const other = event.detail && near(event, path, path.getTotalLength()) < near(event, path, 0) ? src : dst;
		location.hash = other.id;
		show(other);
	});
	const light = on => event => {
		const edge = event.target.closest("a.edge");
		const block = event.target.closest("g.block");
		if (edge)
			ends(edge).forEach(end => end.classList.toggle("lit", on));
		if (block)
			for (const e of svg.querySelectorAll("a.edge"))
				if (e.dataset.ends.split(" ").includes(block.id))
					e.classList.toggle("lit", on);
	};
	svg.addEventListener("pointerover", light(true));
	svg.addEventListener("pointerout", light(false));
	frame.addEventListener("pointerdown", event => {
		if (event.button !== 0 || event.target.closest("a"))
			return;
		const move = e => frame.scrollBy(-e.movementX, -e.movementY);
		const stop = () => {
			frame.classList.remove("drag");
			window.removeEventListener("pointermove", move);
		};
		frame.classList.add("drag");
		window.addEventListener("pointermove", move);
		window.addEventListener("pointerup", stop, {once: true});
	});
	frame.addEventListener("wheel", event => {
		if (!event.ctrlKey)
			return;
		event.preventDefault();
		zoom(scale * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
	}, {passive: false});
	const begin = () => {
		const at = location.hash.startsWith("#n") && document.getElementById(location.hash.slice(1));
		show(at || document.getElementById("n0"));
		if (!at)
			frame.scrollTop = 0;
	};
	const details = frame.closest("details");
	if (details)
		details.addEventListener("toggle", begin);
	else
		begin();
}

/* arrive - scroll to the line or block that the URL names: browsers give that up if a page loads
 * slowly, and may move elsewhere during layout.  So check for a while, unless the user does
 * something. */
function arrive() {
	const at = document.getElementById(location.hash.slice(1));
	const [how] = performance.getEntriesByType("navigation");
	if (!at || how && how.type !== "navigate")
		return;
	const look = () => {
		const r = at.getBoundingClientRect();
		if (r.bottom < 0 || r.top > innerHeight)
			at.scrollIntoView();
	};
	const again = [100, 400, 1500].map(ms => setTimeout(look, ms));
	for (const what of ["wheel", "pointerdown", "touchstart", "keydown", "hashchange"])
		window.addEventListener(what, () => again.forEach(clearTimeout), {once: true, passive: true});
	look();
}

window.addEventListener("load", arrive);
document.addEventListener("DOMContentLoaded", () => {
	themebutton();
	searching(Array.from(document.querySelectorAll("table.sortable"), table => new Sortable(table)));
	walking();
	graph();
});
