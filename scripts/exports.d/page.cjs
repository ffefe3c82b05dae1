// Uses the page as a person with a keyboard does, and prints it: node page.cjs TOOLS CHROMIUM FILE PICTURE PDF
// It must fetch nothing but itself, say nothing on the console, go where the keys lead, and be printed row by row.
const [tools, executablePath, file, picture, pdf] = process.argv.slice(2);
const path = require("path");
const puppeteer = require(path.join(tools, "node_modules/puppeteer-core"));
const assert = require("assert");

(async () => {
  const args = ["--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update"];
  if (process.getuid() === 0) args.push("--no-sandbox");
  const browser = await puppeteer.launch({ executablePath, args, headless: true });
  try {
    const page = await browser.newPage();
    const fetched = [], said = [];
    page.on("request", (request) => fetched.push(request.url()));
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(String(error)));
    page.on("dialog", (dialog) => { said.push(`dialog ${dialog.message()}`); dialog.dismiss(); });
    await page.setViewport({ width: 1400, height: 900 });
    await page.goto(`file://${path.resolve(file)}`);
    const text = (what) => page.$eval(what, (element) => element.textContent);
    const time = async () => parseFloat(await text("#now"));
    const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key); };
    const rows = (await page.$$("#log > li[data-at]")).length;
    const end = await time();
    const seen = [];
    const step = async (name, keys, holds) => {
      const before = await time();
      await press(...keys);
      const after = await time();
      assert(holds(before, after), `${name}: from ${before} s to ${after} s`);
      seen.push(name);
    };
    await step("Home", ["Home"], (before, after) => after < before);
    const first = await text("#words");
    await step("arrow down", ["ArrowDown", "ArrowDown", "ArrowDown"], (before, after) => after >= before);
    assert.notStrictEqual(await text("#words"), first);
    await step("arrow up", ["ArrowUp"], (before, after) => after <= before);
    await step("arrow right", ["ArrowRight"], (before, after) => Math.abs(after - before - 0.1) < 0.002);
    await step("arrow left", ["ArrowLeft"], (before, after) => Math.abs(before - after - 0.1) < 0.002);
    await press("Home");
    if (await page.$("#bands .fault")) await step("f", ["f"], (before, after) => after > before);
    const states = await text("#nodes");
    await press("End");
    await step("E", ["E"], (before, after) => after < before);
    await press("Home");
    await press("Space");
    await new Promise((done) => setTimeout(done, 700));
    await press("Space");
    const played = await time();
    assert(played > 0.3, `played to ${played} s`);
    seen.push("Space");
    await press("/");
    await page.keyboard.type("dead");
    const missed = (await page.$$("#log > li.missed")).length;
    assert(missed > 0 && missed <= rows);
    await press("Enter", "Escape");
    assert.strictEqual((await page.$$("#log > li.missed")).length, 0);
    seen.push("/ and Enter");
    const link = await page.$("aside a");
    if (link) { await link.click(); seen.push("a link of the reasons"); }
    await press("End");
    assert.strictEqual(await time(), end);
    await press("Home", "f");
    await page.screenshot({ path: picture });
    await page.emulateMediaType("print");
    await page.setViewport({ width: 720, height: 900 });
    const apart = await page.$$eval("#log > li[data-at]", (rows) => rows.filter((row) => {
      const [whole, lanes, words] = [row, row.querySelector(".lanes"), row.querySelector("p")]
        .map((element) => element.getBoundingClientRect());
      return Math.abs(lanes.top - whole.top) > 1 || Math.abs(lanes.bottom - whole.bottom) > 1
        || words.top < whole.top - 1 || words.bottom > whole.bottom + 1 || words.right > 721;
    }).map((row) => row.id));
    assert.deepStrictEqual(apart, [], "rows whose lanes or words stand elsewhere on paper");
    await page.pdf({ path: pdf, format: "A4" });
    assert.deepStrictEqual(fetched, [`file://${path.resolve(file)}`]);
    assert.deepStrictEqual(said, []);
    assert(states.length > 0);
    console.log(`${await browser.version()}: ${rows} rows; keys: ${seen.join(", ")}; fetched nothing else`);
  } finally {
    await browser.close();
  }
})().catch((error) => { console.log(String(error)); process.exit(1); });
