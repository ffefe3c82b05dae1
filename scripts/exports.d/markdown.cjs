// Turns a handout into HTML with marked: node markdown.cjs TOOLS FILE
const [tools, file] = process.argv.slice(2);
const path = require("path"), fs = require("fs");
import(path.join(tools, "node_modules/marked/lib/marked.esm.js")).then(({ marked }) => {
  process.stdout.write(marked.parse(fs.readFileSync(file, "utf8")));
});
