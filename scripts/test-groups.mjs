/**
 * Test files that share a process. Loading the program takes most of the time of a unit test, so the files of one room are
 * loaded once, together, each as a suite of its own: its hooks hold for its own tests only.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/** The most files of one group: a longer group would run on alone at the end. Unit tests are short. */
const MOST = { src: 30, test: 10 }

/**
 * Puts the unit tests of each room behind one module. Every other file stays a process of its own.
 * @param {readonly string[]} files in the order in which they are to run
 * @param {{ root: string, folder: string }} places `folder` is for the modules, and is deleted when this process ends
 * @returns {Map<string, readonly string[]>} by module or file, what it runs
 */
export function inGroups(files, { root, folder }) {
  const folders = Map.groupBy(files, (file) =>
    groupOf(path.relative(root, path.resolve(root, file))),
  )
  const groups = new Map()
  mkdirSync(folder, { recursive: true })
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const [group, members] of folders) {
    if (group === undefined) continue
    const most = MOST[group.split('-')[0]]
    for (let at = 0; at < members.length; at += most) {
      const some = members.slice(at, at + most)
      const module = path.join(folder, `${group}-${at}.test.mjs`)
      writeFileSync(module, moduleOf(some, root))
      groups.set(module, some)
    }
  }
  return groups
}

/** Folders whose tests work in their own process, not with programs that they start. */
const IN_PROCESS =
  /^(?:src\/[a-z-]+|test\/(?:attacks\/(?:rows|door)|flows|oauth|pins|policy|servers\/runtime|setup))(?=\/)/

/** Names the group of a file; none for one that starts programs, waits for long, or changes its process. */
function groupOf(file) {
  if (file.endsWith('.full.test.ts')) return undefined
  return IN_PROCESS.exec(file)?.[0].replaceAll('/', '-')
}

function moduleOf(files, root) {
  const suites = files.map((file) => {
    const url = pathToFileURL(path.resolve(root, file)).href
    return `suite(${JSON.stringify(file)}, async () => void (await import(${JSON.stringify(url)})))`
  })
  return ["import { suite } from 'node:test'", ...suites, ''].join('\n')
}
