/**
 * Bundles the program into a few files instead of some seven hundred, for a run of many tests: tests start the program
 * about a thousand times, and half of each start is finding and reading the source. Built for every run, removed after
 * it.
 */
import { copyFileSync, cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { rolldown } from 'rolldown'

const PREFIX = 'cordon-bundle-'

/**
 * @param {string} root of the checkout
 * @returns {Promise<string>} the folder with `main.js` and `outside-main.js`
 */
export async function bundleForTests(root) {
  const { default: config } = await import('../rolldown.config.ts')
  const cache = path.join(root, 'node_modules', '.cache')
  mkdirSync(cache, { recursive: true })
  forgetOthers(cache)
  const folder = path.join(cache, `${PREFIX}${process.pid}`)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(folder)
  copyFileSync(path.join(root, 'package.json'), path.join(folder, 'package.json'))
  const dir = path.join(folder, 'dist')
  const bundle = await rolldown({
    ...config,
    cwd: root,
    input: Object.assign({ 'outside-main': 'test/fixtures/outside-main.ts' }, config.input),
    plugins: config.plugins.filter(({ name }) => name !== 'types'),
  })
  await bundle.write(Object.assign({}, config.output, { dir, minify: false }))
  await bundle.close()
  // The page is built already; a kernel that starts from the bundle looks for it beside itself.
  cpSync(path.join(root, '.cache', 'page'), path.join(dir, 'page'), { recursive: true })
  return dir
}

/** Removes the bundles of runs that were killed. */
function forgetOthers(cache) {
  for (const name of readdirSync(cache).filter((one) => one.startsWith(PREFIX))) {
    if (isRunning(Number(name.slice(PREFIX.length)))) continue
    rmSync(path.join(cache, name), { recursive: true, force: true })
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}
