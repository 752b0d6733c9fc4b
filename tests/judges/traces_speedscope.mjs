// Frames of trace-event files as speedscope imports them: node traces_speedscope.mjs MODULE FILE...
// MODULE is speedscope's src/import/trace-event.ts, bundled. Prints one JSON line for each file:
// [[name, calls, total in microseconds, self], ...] summed over its profiles.
import {readFileSync} from 'node:fs'
import {pathToFileURL} from 'node:url'

console.warn = () => {} // its repairs
const [, , module, ...files] = process.argv
const {importTraceEvents} = await import(pathToFileURL(module).href)
for (const file of files) {
  let text = readFileSync(file, 'utf8').trim()
  let content
  try {
    content = JSON.parse(text)
  } catch {
    if (text.endsWith(',')) text = text.slice(0, -1) // an array without its end
    content = JSON.parse(text + ']')
  }
  // Without arguments, which are part of its names, but for those of Hermes.
  for (const event of content.traceEvents ?? content) if (event.ph !== 'M' && !event.args?.allocatedName) delete event.args
  const frames = new Map()
  for (const profile of importTraceEvents(content).profiles) {
    const calls = new Map()
    profile.forEachCall(node => calls.set(node.frame, (calls.get(node.frame) ?? 0) + 1), () => {})
    profile.forEachFrame(frame => {
      const name = frame.name.replace(/\(http.*$/, '') // the place of a function of Hermes
      const sum = frames.get(name) ?? [0, 0, 0]
      sum[0] += calls.get(frame) ?? 0
      sum[1] += frame.getTotalWeight()
      sum[2] += frame.getSelfWeight()
      frames.set(name, sum)
    })
  }
  console.log(JSON.stringify([...frames].map(([name, sum]) => [name, ...sum])))
}
