// Import edges as dependency-cruiser sees them. Reads from standard input
//   {"folder": ..., "groups": [{"config": "tsconfig.json or empty", "files": [...]}]}
// and writes {"edges": [[source, target], ...], "failed": [file, ...]} to standard output; paths are
// relative to the folder. Failed are files that its parsers refuse.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { cruise } from "dependency-cruiser";
import ts from "typescript";

const { folder, groups } = JSON.parse(readFileSync(0, "utf8"));
process.chdir(folder);
const edges = [];
const failed = [];

// The configuration as TypeScript itself understands it, errors aside: a base in node_modules is not there.
function typescriptOptions(config) {
  const read = ts.readConfigFile(config, ts.sys.readFile);
  return ts.parseJsonConfigFileContent(read.config ?? {}, ts.sys, path.dirname(path.resolve(config)), {}, path.resolve(config));
}

// Its paths and base in a file of their own: the plugin that dependency-cruiser uses takes paths that are inherited
// without a baseUrl from the wrong folder.
function flattened({ paths, pathsBasePath, baseUrl }) {
  const place = mkdtempSync(path.join(tmpdir(), "judge-"));
  const from = (base, target) => path.relative(place, path.resolve(base, target));
  const flat = {};
  for (const [pattern, targets] of Object.entries(paths ?? {})) {
    flat[pattern] = targets.map((target) => from(baseUrl ?? pathsBasePath, target));
  }
  if (baseUrl && !flat["*"]) flat["*"] = [`${from(baseUrl, ".")}/*`];
  const file = path.join(place, "tsconfig.json");
  writeFileSync(file, JSON.stringify({ compilerOptions: { baseUrl: "./", paths: flat } }));
  return { file, place };
}

async function cruiseAll(files, options, resolve, transpile) {
  try {
    const { output } = await cruise(files, options, resolve, transpile);
    const wanted = new Set(files);
    for (const module of output.modules) {
      if (!wanted.has(module.source)) continue;
      for (const dependency of module.dependencies) {
        if (dependency.couldNotResolve || dependency.coreModule) continue;
        edges.push([module.source, dependency.resolved]);
      }
    }
  } catch {
    if (files.length === 1) {
      failed.push(files[0]);
      return;
    }
    const half = Math.ceil(files.length / 2);
    await cruiseAll(files.slice(0, half), options, resolve, transpile);
    await cruiseAll(files.slice(half), options, resolve, transpile);
  }
}

for (const { config, files } of groups) {
  const options = {
    tsPreCompilationDeps: true,
    moduleSystems: ["es6", "cjs", "tsd"],
    baseDir: folder,
    maxDepth: 1,
    doNotFollow: { path: "." },
  };
  let transpile = {};
  let flat = null;
  let custom = [];
  if (config) {
    const understood = typescriptOptions(config);
    custom = understood.options.customConditions ?? [];
    flat = flattened(understood.options);
    options.tsConfig = { fileName: flat.file };
    options.ruleSet = { options: { tsConfig: options.tsConfig } };
    transpile = { tsConfig: { ...understood, options: { ...understood.options, baseUrl: flat.place } } };
  }
  const resolve = {
    exportsFields: ["exports"],
    conditionNames: ["import", "require", "module", "node", "default", ...custom],
    mainFields: ["main", "module", "types", "typings"],
    bustTheCache: true,
  };
  await cruiseAll(files, options, resolve, transpile);
  if (flat) rmSync(flat.place, { recursive: true });
}
process.stdout.write(JSON.stringify({ edges, failed }));
