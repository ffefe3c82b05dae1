// A page that shows a recording in asciinema's player, near its end: node player.cjs TOOLS FILE
const [tools, file] = process.argv.slice(2);
const fs = require("fs"), path = require("path");
const bundle = path.join(tools, "node_modules/asciinema-player/dist/bundle");
const read = (name) => fs.readFileSync(path.join(bundle, name), "utf8");
const recording = fs.readFileSync(file, "utf8");
const inScript = (text) => JSON.stringify(text).replaceAll("<", "\\u003c");
process.stdout.write(`<!DOCTYPE html><meta charset="utf-8"><style>${read("asciinema-player.css")}</style>
<div id="player"></div><script>${read("asciinema-player.min.js").replaceAll("</script", "<\\/script")}</script>
<script>AsciinemaPlayer.create({ data: ${inScript(recording)} }, document.getElementById("player"),
  { startAt: 4, poster: "npt:4", preload: true, controls: true });</script>`);
