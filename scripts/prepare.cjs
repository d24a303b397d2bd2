/**
 * Makes a fresh machine ready: npm packages by the lockfile, Debian packages by name. Runs on Node 20 with nothing
 * installed. Never removes, upgrades or downgrades anything that is already there.
 */
'use strict'
const { spawn, spawnSync } = require('node:child_process')
const { createHash } = require('node:crypto')
const { existsSync, readFileSync, readdirSync, writeFileSync } = require('node:fs')
const path = require('node:path')
const { findNode, passSignals } = require('../bin/find-node.cjs')

const root = path.join(__dirname, '..')
const stamp = path.join(root, 'node_modules', '.cordon-installed')

/** System packages for Cordon itself, and for its tests. */
const RUN_PACKAGES = [{ name: 'bubblewrap', present: () => onPath('bwrap') }]
const TEST_PACKAGES = [
  ...RUN_PACKAGES,
  { name: 'postgresql', present: () => existsSync('/usr/lib/postgresql') && hasPostgres() },
  { name: 'chromium', present: () => existsSync('/usr/bin/chromium') },
  {
    name: 'chromium-headless-shell',
    present: () => existsSync('/usr/bin/chromium-headless-shell'),
  },
  { name: 'dbus', present: () => onPath('dbus-run-session') },
  { name: 'gnome-keyring', present: () => onPath('gnome-keyring-daemon') },
  { name: 'zsh', present: () => onPath('zsh') },
  { name: 'fish', present: () => onPath('fish') },
  { name: 'tmux', present: () => onPath('tmux') },
  { name: 'busybox-static', present: () => existsSync('/bin/busybox') },
]

const BENCH_PACKAGES = [...RUN_PACKAGES, { name: 'socat', present: () => onPath('socat') }]

function say(line) {
  process.stderr.write(`cordon: ${line}\n`)
}

class SetupError extends Error {}

/**
 * Installs the packages of the lockfile, unless exactly this lockfile is installed already: what running Cordon takes,
 * or with `dev` also the tools of its tests and checks, which are the larger part.
 */
async function ensureDependencies(kind = 'dev') {
  const wanted = createHash('sha256')
    .update(readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex')
  const [installed, extent] = existsSync(stamp) ? readFileSync(stamp, 'utf8').split(' ') : []
  const isByUs = installed === wanted && !(kind === 'dev' && extent === 'run')
  if ((isByUs || isInstalled(kind)) && findNode(root)) return
  await installDependencies(kind)
  writeFileSync(stamp, kind === 'dev' ? wanted : `${wanted} ${kind}`)
}

async function installDependencies(kind) {
  const npm = npmCommand()
  await step('Installing dependencies (a minute on a fresh machine)', npm.command, [
    ...npm.args,
    'ci',
    kind === 'dev' ? '--include=dev' : '--omit=dev',
    '--include=optional',
    '--ignore-scripts',
  ])
}

/** Whether `npm ci` was run by hand: npm writes down what it installed as the last thing that it does. */
function isInstalled(kind) {
  const packagesIn = (file) => JSON.parse(readFileSync(path.join(root, file), 'utf8')).packages
  const noted = path.join('node_modules', '.package-lock.json')
  if (!existsSync(path.join(root, noted))) return false
  const there = packagesIn(noted)
  return Object.entries(packagesIn('package-lock.json')).every(
    ([place, { version, optional, dev, devOptional }]) =>
      place === '' ||
      there[place]?.version === version ||
      // Optional packages are those of other platforms, too.
      (there[place] === undefined && (optional || devOptional || (dev && kind !== 'dev'))),
  )
}

/** Builds the page, if one of its sources has changed since it was built. */
async function ensurePage() {
  const args = [path.join('scripts', 'build-page.mjs')]
  const code = await runNode(args)
  if (code !== 0) throw new SetupError('Cannot build the page')
}

/** The npm that called us, on the Node it runs on: the Node in node_modules is about to be replaced. */
function npmCommand() {
  const { npm_execpath: cli, npm_node_execpath: node } = process.env
  return cli && node && existsSync(node)
    ? { command: node, args: [cli] }
    : { command: 'npm', args: [] }
}

/** Installs missing packages where apt-get may run; returns the names that are still missing. */
async function ensureSystemPackages(packages) {
  const missing = packages.filter((item) => !item.present()).map((item) => item.name)
  if (missing.length === 0) return []
  const asRoot = rootPrefix()
  if (!onPath('apt-get') || asRoot === undefined) return missing
  const apt = (label, args) =>
    step(label, [...asRoot, 'apt-get', ...args][0], [...asRoot, 'apt-get', ...args].slice(1), {
      DEBIAN_FRONTEND: 'noninteractive',
    })
  try {
    await apt('Reading the list of system packages', ['update', '-q'])
    const install = ['install', '-q', '-y', '--no-install-recommends', ...missing]
    await apt(`Installing system packages: ${missing.join(', ')}`, install)
  } catch (error) {
    say(error.message)
  }
  return packages.filter((item) => !item.present()).map((item) => item.name)
}

function rootPrefix() {
  if (process.getuid?.() === 0) return []
  const sudo = onPath('sudo') && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0
  return sudo ? ['sudo', '-n'] : undefined
}

/** Runs a command, showing that time passes; its output is shown only when it fails. */
function step(label, command, args, env = {}) {
  const started = Date.now()
  const seconds = () => Math.round((Date.now() - started) / 1000)
  say(`${label} …`)
  return new Promise((resolve, reject) => {
    const output = []
    const options = {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    }
    const child = spawn(command, args, options)
    child.stdout.on('data', (chunk) => output.push(chunk))
    child.stderr.on('data', (chunk) => output.push(chunk))
    const ticking = setInterval(() => say(`  … ${seconds()} s`), 10_000)
    const fail = (why) => {
      clearInterval(ticking)
      process.stderr.write(Buffer.concat(output))
      reject(new SetupError(`Cannot finish "${label}": ${why}; what it printed stands above`))
    }
    child.on('error', (error) => fail(error.message))
    child.on('exit', (code, signal) => {
      if (code !== 0) return fail(signal ?? `${command} ended with ${code}`)
      clearInterval(ticking)
      say(`  done in ${seconds()} s`)
      resolve()
    })
  })
}

function onPath(name) {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/sbin']
  return folders.some((folder) => folder !== '' && existsSync(path.join(folder, name)))
}

function hasPostgres() {
  return readdirSync('/usr/lib/postgresql').some((version) =>
    existsSync(path.join('/usr/lib/postgresql', version, 'bin', 'initdb')),
  )
}

/** Runs a Node program of ours in this terminal and ends as it ends. `before`: a command that is given the program. */
function runNode(args, env = {}, before = []) {
  const [command, ...words] = [...before, findNode(root), ...args]
  const child = spawn(command, words, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  passSignals(child)
  return new Promise((resolve) => {
    child.on('exit', (code, signal) =>
      resolve(code ?? 128 + require('node:os').constants.signals[signal]),
    )
  })
}

/** Runs a script's body; a failed set-up ends with one clear line instead of a stack. */
async function main(body) {
  try {
    process.exitCode = (await body()) ?? 0
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    say(`error: ${error.message}`)
    process.exitCode = 5
  }
}

module.exports = {
  BENCH_PACKAGES,
  RUN_PACKAGES,
  SetupError,
  TEST_PACKAGES,
  ensureDependencies,
  ensurePage,
  ensureSystemPackages,
  main,
  npmCommand,
  root,
  runNode,
  say,
  step,
}
