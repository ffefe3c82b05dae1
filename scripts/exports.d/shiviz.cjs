// Reads a log as ShiViz does, without its page, and builds its graph: node shiviz.cjs CHECKOUT FILE
// ShiViz itself refuses a log whose clocks are not possible.
const [checkout, file] = process.argv.slice(2);
const fs = require("fs"), path = require("path"), vm = require("vm");
const parts = ["util/exception", "util/regexp", "util/util", "model/vectorTimestamp", "model/vectorTimestampSerializer",
  "model/logEvent", "model/parser", "graph/graphEvent", "graph/abstractNode", "graph/abstractGraph", "model/modelNode",
  "model/modelGraph"];
const context = vm.createContext({ console });
for (const part of parts) {
  vm.runInContext(fs.readFileSync(path.join(checkout, "js", `${part}.js`), "utf8"), context, { filename: part });
}
context.text = fs.readFileSync(file, "utf8");
context.told = vm.runInContext(`(() => {
  const lines = text.split("\\n", 2);
  const log = text.substr(text.indexOf("\\n", text.indexOf("\\n") + 1) + 1);
  try {
    const parser = new LogParser(log, null, new NamedRegExp("^" + lines[0] + "$", "m"));
    const events = parser.getLogEvents("");
    const graph = new ModelGraph(events);
    return "ShiViz's own parser and graph: " + events.length + " events of " + graph.getHosts().length + " hosts";
  } catch (error) {
    return "ERROR " + (error.getMessage ? error.getMessage() : error.stack);
  }
})()`, context);
console.log(context.told);
process.exit(context.told.startsWith("ERROR") ? 1 : 0);
