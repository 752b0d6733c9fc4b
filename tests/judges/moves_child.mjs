// Where paths in scripts lead, by Node and by TypeScript. Reads from standard input
//   {"folder": ..., "files": [...], "typescript": folder of the package, "configs": [...]}
// and writes {"edges": ["FILE\tTARGET", ...], "lost": ["FILE", ...], "errors": ["FILE\tCODE", ...]}; paths are relative
// to the folder. Lost are relative paths that lead nowhere.
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const asked = JSON.parse(readFileSync(0, "utf8"));
const folder = realpathSync(asked.folder);
const ts = createRequire(path.join(asked.typescript, "package.json"))("./lib/typescript.js");
const edges = [], lost = [], errors = [];
const inside = (file) => path.relative(folder, file).split(path.sep).join("/");
const MOCKS = /\b(?:jest|vi)\.(?:mock|doMock|unmock|requireActual|importActual)\(\s*(["'])(\.[^"'\n]+)\1/g;
const URLS = /\bnew URL\(\s*(["'])([^"'\n:]+)\1\s*,\s*import\.meta\.url/g;

const optionsOf = new Map();
function options(file) {
  const at = ts.findConfigFile(path.dirname(file), ts.sys.fileExists);
  const config = at && at.startsWith(folder) ? at : "";
  if (!optionsOf.has(config)) {
    const read = config ? ts.parseJsonConfigFileContent(ts.readConfigFile(config, ts.sys.readFile).config, ts.sys, path.dirname(config)).options : {};
    const own = { allowJs: true, resolveJsonModule: true, allowImportingTsExtensions: true, noEmit: true };
    optionsOf.set(config, { moduleResolution: ts.ModuleResolutionKind.Node10, ...read, ...own });
  }
  return optionsOf.get(config);
}

function byNode(file, name) {
  try {
    return createRequire(file).resolve(name);
  } catch {
    const target = path.resolve(path.dirname(file), name); // a module names its file, whatever it holds
    return existsSync(target) && statSync(target).isFile() ? target : "";
  }
}

function byTypeScript(file, name) {
  return ts.resolveModuleName(name, file, options(file), ts.sys).resolvedModule?.resolvedFileName ?? "";
}

for (const name of asked.files) {
  const file = path.join(folder, name);
  const text = readFileSync(file, "utf8");
  const found = ts.preProcessFile(text, true, true);
  const names = [...found.importedFiles.map((one) => one.fileName), ...[...text.matchAll(MOCKS)].map((one) => one[2])];
  for (const one of new Set(names)) {
    const relative = /^\.{1,2}(\/|$)/.test(one);
    const isPlain = /\.(js|cjs|mjs|jsx)$/.test(file);
    const plain = one.replace(/[?#].*$/, "");
    let target = isPlain && relative ? byNode(file, plain) : byTypeScript(file, one);
    if (!target && relative) target = isPlain ? byTypeScript(file, plain) : byNode(file, plain);
    if (target && realpathSync(target).startsWith(folder + path.sep)) edges.push(`${name}\t${inside(realpathSync(target))}`);
    else if (relative) lost.push(name);
  }
  for (const match of text.matchAll(URLS)) {
    const target = path.resolve(path.dirname(file), match[2]);
    (existsSync(target) ? edges : lost).push(existsSync(target) ? `${name}\t${inside(target)}` : name);
  }
  for (const one of found.referencedFiles) {
    const target = path.resolve(path.dirname(file), one.fileName);
    (existsSync(target) ? edges : lost).push(existsSync(target) ? `${name}\t${inside(target)}` : name);
  }
}
for (const place of asked.packages) {
  const value = JSON.parse(readFileSync(path.join(folder, place), "utf8"));
  const bins = typeof value.bin === "string" ? [value.bin] : Object.values(value.bin ?? {});
  for (const one of [value.main, value.module, value.types, ...bins]) {
    if (typeof one !== "string") continue;
    const target = byNode(path.join(folder, place), one.startsWith(".") ? one : `./${one}`);
    if (target) edges.push(`${place}\t${inside(target)}`);
    else lost.push(place);
  }
}
for (const config of asked.configs) {
  const at = path.join(folder, config);
  const read = ts.parseJsonConfigFileContent(ts.readConfigFile(at, ts.sys.readFile).config, ts.sys, path.dirname(at));
  const program = ts.createProgram(read.fileNames, { ...read.options, noEmit: true, skipLibCheck: true });
  for (const one of ts.getPreEmitDiagnostics(program)) {
    errors.push(`${one.file ? inside(one.file.fileName) : "-"}\t${one.code}`);
  }
}
process.stdout.write(JSON.stringify({ edges, lost, errors }));
