# browser.sh - the pages of tally html in a browser, from the disk: tables are sorted and searched,
# lines and edges followed, by mouse and by keyboard, in light and dark; without a word on the console
# and without a request to anyone.  tally-test:slow
command -v chromium >/dev/null || { echo "chromium is not there"; exit 77; }
command -v npm >/dev/null || { echo "npm is not there"; exit 77; }
timeout 120 npm install --silent --no-audit --no-fund playwright-core >npm.log 2>&1 ||
	{ echo "playwright-core cannot be had from npm"; exit 77; }

cat >prog.c <<'C'
#include <signal.h>
#include <stdlib.h>

static int
weigh(int n)
{
	int i, s = 0;

	for (i = 0; i < n; i++) {
		if (i % 3 == 0)
			s += i;
		else if (i > 1000)
			abort();
		else
			s--;
	}
	return s;
}

static int
never(int x)
{
	if (x > 2)
		return x + 2;
	return x;
}

int
main(int argc, char **argv)
{
	int i, s = 0;

	for (i = 0; i < 100; i++)
		s += weigh(i);
	if (argc > 5)
		s += never(atoi(argv[1]));
	return s == 0;
}
C
perl -e 'print "int f$_(int x)\n{\n\treturn x + $_;\n}\n" for 1 .. 3000; print "int main(void) { return f2999(1) == 0; }\n"' >long.c
tally build --quiet --branches gcc -O0 prog.c -o prog
tally build --quiet gcc -O0 long.c -o long
echo 'int raise(int); int main(void) { return raise(9); }' >killed.c
tally build --quiet gcc -O0 killed.c -o killed
./prog || true
(./killed) 2>/dev/null || true
./long
tally html -o site 2>/dev/null

cat >drive.js <<'J'
const {chromium} = require("playwright-core");
const fs = require("fs"), assert = require("assert");
const site = "file://" + process.cwd() + "/site/";
const page1 = (dir, name) => site + dir + "/" + fs.readdirSync("site/" + dir).find(f => f.startsWith(name + "-") && !/\.\d+\.html$/.test(f));
const said = [];

async function open(browser, options) {
	const context = await browser.newContext({viewport: {width: 1200, height: 800}, ...options});
	const page = await context.newPage();
	page.on("console", m => said.push(m.type() + ": " + m.text()));
	page.on("pageerror", e => said.push("error: " + e.message));
	page.on("requestfailed", r => said.push("failed: " + r.url()));
	page.on("request", r => r.url().startsWith(site) || said.push("request: " + r.url()));
	return page;
}
/* column - the numbers of a column of a table. */
const column = (page, table, i) => page.$$eval(`table[data-name=${table}] tbody tr`,
	(rows, i) => rows.map(r => r.cells[i].dataset.v === undefined ? r.cells[i].textContent : Number(r.cells[i].dataset.v)), i);
const sorted = (list, sign) => list.every((v, i) => i === 0 || (v < list[i - 1] ? -sign : v > list[i - 1] ? sign : 0) >= 0);
/* insight - an element comes into the window: browsers scroll when they find time for it. */
const insight = (page, what) => page.waitForFunction(what => {
	const r = document.querySelector(what).getBoundingClientRect();
	const x = r.left + Math.min(r.width, 20) / 2, y = r.top + r.height / 2;
	return y > 0 && y < innerHeight && x > 0 && x < innerWidth;
}, what).catch(async e => {
	const where = await page.$eval(what, e => JSON.stringify([e.getBoundingClientRect(), innerWidth, innerHeight, scrollY, document.readyState]));
	throw new Error(`${page.url()}: ${what} is at ${where}: ${e.message}`);
});

async function tables(browser) {
	const page = await open(browser);
	await page.goto(site + "index.html");
	for (const [table, i] of [["functions", 1], ["functions", 2], ["functions", 3], ["functions", 0], ["files", 1], ["files", 0]]) {
		const head = page.locator(`table[data-name=${table}] thead th`).nth(i);
		await head.locator("button").click();
		await page.waitForFunction(([t, i]) => document.querySelectorAll(`table[data-name=${t}] thead th`)[i].hasAttribute("aria-sort"), [table, i]);
		const down = await head.getAttribute("aria-sort") === "descending";
		assert(sorted(await column(page, table, i), down ? -1 : 1), table + i);
		await head.locator("button").focus();
		await page.keyboard.press("Enter");
		await head.and(page.locator(`[aria-sort=${down ? "ascending" : "descending"}]`)).waitFor();
		assert(sorted(await column(page, table, i), down ? 1 : -1), table + i);
		assert.equal(await page.locator(`table[data-name=${table}] [aria-sort]`).count(), 1);
	}
	/* All rows are sorted, not those alone that the page has. */
	await page.locator("table[data-name=functions] thead button").first().click();
	if (await page.locator("table[data-name=functions] thead th").first().getAttribute("aria-sort") === "descending")
		await page.locator("table[data-name=functions] thead button").first().click();
	await page.locator("table[data-name=functions] [aria-sort=ascending]").waitFor();
	assert.equal((await column(page, "functions", 0))[0], "f1");
	await page.getByText("Show all").click();
	await page.waitForFunction(() => document.querySelector("table[data-name=functions]").tBodies[0].rows.length === 3005);

	await page.keyboard.press("Escape");
	await page.evaluate(() => document.activeElement.blur());
	await page.keyboard.press("/");
	await page.keyboard.type("WEI");
	await page.waitForFunction(() => document.querySelector("table[data-name=functions]").dataset.found === "1");
	assert.deepEqual(await column(page, "functions", 0), ["weigh"]);
	await page.waitForFunction(() => document.querySelector("table[data-name=files]").dataset.found === "0");
	await page.keyboard.press("Enter");
	await page.waitForURL(/prog\.c-.*#L5$/);
	await page.goto(site + "index.html");
	await page.fill("#search", "f1234");
	await page.waitForFunction(() => document.querySelector("table[data-name=functions]").dataset.found === "1");
	await page.fill("#search", "long.c:10007");
	await page.keyboard.press("Enter");
	await page.waitForURL(/long\.c-[0-9a-f]*\.2\.html#L10007$/);
	await insight(page, "#L10007");
	assert(await page.locator("#remarks").count() === 0 && await page.getByText("2 remarks").count() === 1);
	await page.getByText("2 remarks").click();
	await insight(page, "#remarks");
}

async function source(browser) {
	const page = await open(browser);
	await page.goto(page1("file", "long.c") + "#L7001");
	await insight(page, "#L7001");
	await page.fill("input[name=line]", "42");
	await page.keyboard.press("Enter");
	await page.waitForURL(/#L42$/);
	await insight(page, "#L42");
	await page.fill("input[name=line]", "11990");
	await page.keyboard.press("Enter");
	await page.waitForURL(/\.2\.html#L11990$/);
	await insight(page, "#L11990");
	await page.goto(page1("file", "prog.c"));
	/* Rows are as high as the style sheet says: else those out of sight would be misjudged. */
	assert.deepEqual(await page.$$eval(".code tbody tr", l => [...new Set(l.map(e => e.getBoundingClientRect().height))]), [20]);
	await page.keyboard.press("n");
	await page.waitForURL(/#L13$/); /* abort() */
	await page.click("#behind");
	await page.waitForURL(/#L21$/); /* never() */
	await insight(page, "#L21");
	await page.keyboard.press("p");
	await page.waitForURL(/#L13$/);
	const third = page.locator("#L10 td").nth(1);
	assert(!await third.isVisible());
	await page.click("label[for=showinsns]");
	assert(await third.isVisible());
	assert(Number((await third.textContent()).replace(/,/g, "")) > 0);
	await page.reload();
	assert(await third.isVisible());
	assert.equal(await page.locator("#L10 .both").count(), 1);
	await page.locator(".map a").last().click();
	await page.waitForURL(/#L\d+$/);
	await page.click("details.functions summary");
	await page.locator("details.functions thead button").first().click();
	assert.deepEqual(await page.$$eval("details.functions tbody th", l => l.map(e => e.textContent)), ["main", "never", "weigh"]);
	await page.locator("#L5 a.flow").click();
	await page.waitForURL(/flow\/weigh-/);
}

/* at - a point on an edge in the window, some pixels from its begin or its end. */
const at = (page, i, end) => page.$$eval("a.edge > path:first-of-type", (paths, [i, end]) => {
	paths[i].scrollIntoView({block: "center", inline: "center"});
	const p = paths[i].getPointAtLength(end ? paths[i].getTotalLength() - 8 : 8).matrixTransform(paths[i].getScreenCTM());
	return [p.x, p.y];
}, [i, end]);

async function graph(browser) {
	const page = await open(browser);
	await page.goto(page1("flow", "weigh"));
	await insight(page, "#n0");
	const ends = await page.$$eval("a.edge", l => l.map(e => e.dataset.ends.split(" ")));
	assert(ends.length > 6 && await page.locator(".labels .counter").count() > 1);
	for (let i = 0; i < ends.length; i++) {
		const [src, dst] = ends[i];
		if (src === dst)
			continue;
		for (const [end, other] of [[false, dst], [true, src]]) {
			const [x, y] = await at(page, i, end);
			await page.mouse.move(x, y);
			const hit = await page.evaluate(([x, y]) => {
				const e = document.elementFromPoint(x, y).closest("a.edge");
				return e ? [...document.querySelectorAll("a.edge")].indexOf(e) : -1;
			}, [x, y]);
			if (hit !== i)
				continue; /* another lies above it there */
			await page.waitForFunction(ids => ids.sort().join() ===
				Array.from(document.querySelectorAll(".block.lit"), e => e.id).sort().join(), [src, dst]);
			await page.mouse.click(x, y);
			await page.waitForFunction(id => location.hash === "#" + id, other);
			await insight(page, "#" + other + " .name");
			await page.waitForFunction(id => document.getElementById(id).matches(":target"), other);
			followed++;
		}
	}
	assert(followed > ends.length);
	/* By keyboard: from its begin to its end. */
	await page.locator("a.edge").first().focus();
	await page.keyboard.press("Enter");
	await page.waitForFunction(id => location.hash === "#" + id, ends[0][1]);
	const wide = await page.$eval(".graph svg", e => e.getBoundingClientRect().width);
	await page.click("#larger");
	assert(await page.$eval(".graph svg", e => e.getBoundingClientRect().width) > wide);
	await page.locator(".block .name").nth(2).click();
	await page.waitForFunction(() => document.querySelector("details[open]:has(:target)"));
	await page.locator(".block .src").first().click();
	await page.waitForURL(/prog\.c-.*#L5$/);
	await insight(page, "#L5");
}
let followed = 0;

/* contrast - of an element's text with what is behind it. */
const contrast = (page, what) => page.$eval(what, e => {
	const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
	const behind = [];
	for (let p = e; p; p = p.parentElement)
		behind.unshift(getComputedStyle(p).backgroundColor);
	const paint = list => {
		canvas.fillStyle = "white";
		canvas.fillRect(0, 0, 1, 1);
		for (const c of list) {
			canvas.fillStyle = c;
			canvas.fillRect(0, 0, 1, 1);
		}
		const [r, g, b] = Array.from(canvas.getImageData(0, 0, 1, 1).data, v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
		return .2126 * r + .7152 * g + .0722 * b;
	};
	const a = paint(behind), b = paint([...behind, getComputedStyle(e).color]);
	return (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
});

async function colours(browser) {
	const back = {};
	for (const colorScheme of ["light", "dark"]) {
		const page = await open(browser, {colorScheme});
		const good = async what => {
			const ratio = await contrast(page, what);
			assert(ratio >= 4.5, `${colorScheme}: ${what}: ${ratio}`);
		};
		await page.goto(site + "index.html");
		for (const what of ["h1", ".programs", "td.n", "tbody th a", "tr.never th a", ".share small", ".place a", ".doubt", "#remarks li", "#theme"])
			await good(what);
		back[colorScheme] = await page.$eval("body", e => getComputedStyle(e).backgroundColor);
		await page.goto(page1("file", "prog.c"));
		for (const what of ["#L1 a", "#L13 td", ".code tr.h9 td", ".code tr.h5 td", "#L21 td:last-child", ".legend .about", ".code .half, .code .both", "a.flow"])
			await good(what);
		/* The button has the last word, on every page. */
		const other = colorScheme === "light" ? "dark" : "light";
		while (!(await page.textContent("#theme")).endsWith(other))
			await page.click("#theme");
		await page.goto(page1("flow", "main"));
		assert((await page.textContent("#theme")).endsWith(other));
		back[colorScheme + other] = await page.$eval("body", e => getComputedStyle(e).backgroundColor);
	}
	assert.notEqual(back.light, back.dark);
	assert.equal(back.lightdark, back.dark);
	assert.equal(back.darklight, back.light);
}

async function scriptless(browser) {
	const page = await open(browser, {javaScriptEnabled: false});
	await page.goto(site + "index.html");
	assert(await page.locator("table[data-name=functions] tbody tr").count() > 100);
	assert(!await page.locator("#search").isVisible());
	await page.getByRole("link", {name: "prog.c", exact: true}).first().click();
	assert(await page.locator("#L21").isVisible());
	await page.locator("#L5 a.flow").click();
	assert(await page.locator("#n0").isVisible());
	await page.locator("a.edge").first().focus();
	await page.keyboard.press("Enter");
	await page.locator(".block:target").waitFor({state: "attached"});
}

(async () => {
	const args = process.getuid() === 0 ? ["--no-sandbox"] : [];
	const browser = await chromium.launch({timeout: 60000, executablePath: "chromium", args});
	for (const step of [tables, source, graph, colours, scriptless])
		await step(browser);
	await browser.close();
	assert.deepEqual(said, []);
	console.log("# Chromium " + browser.version() + ", " + followed + " edges followed");
})().catch(e => {
	console.log(e.stack);
	console.log(said.join("\n"));
	process.exit(1);
});
J
sed -i "s,executablePath: \"chromium\",executablePath: \"$(command -v chromium)\"," drive.js
timeout 300 node drive.js 2>err || { cat err; exit 1; }
