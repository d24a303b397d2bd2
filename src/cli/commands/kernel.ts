/** `up`, `status`, `down`, `open`, `chat`: starting, stopping and reaching the kernel. */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Api } from '../../api/contract.ts'
import type { KernelStatus } from '../../api/kernel.ts'
import { CordonError } from '../../kernel/error.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { columns, type Output } from '../output.ts'
import { noticeLines } from './notice-view.ts'

/** The longest drain that can be set, and the time that servers have to end. */
const LONGEST_END_MS = 630_000
const TELL_MS = 2000

interface UpOptions {
  readonly detach?: boolean
  readonly background?: boolean
  readonly chat: boolean
}

export function addKernelCommands(program: Command, context: Context): void {
  program
    .command('up')
    .description('run Cordon here, with a chat prompt when there is a terminal')
    .option('-d, --detach', 'run in the background and return')
    .option('--no-chat', 'no chat prompt')
    .addOption(program.createOption('--background').hideHelp())
    .addHelpText('after', '\nExample:\n  $ cordon up --detach')
    .action(async (options: UpOptions, command: Command) => {
      const output = outputOf(context, command)
      if (options.detach) return await upDetached(context, output)
      await upHere(context, output, options)
    })
  program
    .command('status')
    .description('show whether Cordon runs, and what it has')
    .addHelpText('after', '\nExample:\n  $ cordon status')
    .action(async (_options: object, command: Command) => {
      await showStatus(context, outputOf(context, command))
    })
  program
    .command('down')
    .description('stop the running Cordon')
    .addHelpText('after', '\nExample:\n  $ cordon down')
    .action(async (_options: object, command: Command) => {
      await down(context, outputOf(context, command))
    })
  program
    .command('open')
    .description('print a one-time link that lets a browser in')
    .addHelpText('after', '\nExample:\n  $ cordon open')
    .action(async (_options: object, command: Command) => {
      const link = await withApi(context, command, (api) => api.call('page.link', {}))
      outputOf(context, command).answer(link, () => [link.url])
    })
  program
    .command('chat')
    .description('talk to Cordon in this terminal')
    .addHelpText('after', '\nExample:\n  $ cordon chat')
    .action(async (_options: object, command: Command) => {
      if (outputOf(context, command).json) throw noJson()
      await withApi(context, command, (api) => context.surface.chat(api, context.signal))
    })
}

async function upDetached(context: Context, output: Output): Promise<void> {
  const found = await context.surface.findKernel()
  await using api = found ?? (await context.surface.startKernel())
  const status = await api.call('status', {})
  output.answer(status, () => describe(status, output))
}

async function upHere(context: Context, output: Output, options: UpOptions): Promise<void> {
  const { surface, signal } = context
  if (options.background) return await upUnseen(context)
  const talk = options.chat && surface.terminal.stdin.isTTY
  await using running = await surface.findKernel()
  if (running) {
    output.note('Cordon is already running.')
    await greet(running, output, talk)
    if (talk) await surface.chat(running, signal)
    return
  }
  await using kernel = await surface.openKernel({ page: true })
  await greet(kernel, output, talk)
  const ended = Promise.race([kernel.stopped, aborted(signal)])
  if (!talk) output.note('Press Ctrl-C to stop.')
  await (talk ? chatUntil(ended, context, kernel) : ended)
  output.note('Stopping Cordon …')
}

/** When the kernel is stopped from elsewhere, the chat ends too: an open terminal would keep the process alive. */
async function chatUntil(
  ended: Promise<void>,
  { surface, signal }: Context,
  kernel: Api,
): Promise<void> {
  const over = new AbortController()
  void ended.then(() => over.abort())
  await surface.chat(kernel, AbortSignal.any([signal, over.signal]))
}

/** Prints nothing except a failure to start: the command that started it in the background ends once it runs. */
async function upUnseen({ surface, signal }: Context): Promise<void> {
  await using kernel = await surface.openKernel({ page: true })
  await Promise.race([kernel.stopped, aborted(signal)])
}

async function greet(api: Api, output: Output, talk: boolean): Promise<void> {
  const status = await api.call('status', {})
  output.answer(status, () => describe(status, output, talk))
  if (!talk) return
  const link = await api.call('page.link', {})
  output.note(`\nOpen the page with this link, once, within 10 minutes:\n  ${link.url}`)
  const first = status.servers > 0 ? 'Say what you want' : 'Try `connect filesystem`'
  output.note(`\n${first}, or type \`help\`; \`exit\` leaves.`)
}

function describe(status: KernelStatus, output: Output, talk = false): readonly string[] {
  const rows = [
    ['  page', status.page ?? 'not served'],
    ['  home', status.home],
    ['  vault', describeVault(status, talk)],
    ['  servers', status.servers === 0 ? 'none yet' : String(status.servers)],
    ['  process', `${status.pid}, on Node ${status.node}, ${status.store}`],
  ]
  const damage = status.auditDamage === null ? [] : [`The audit log: ${status.auditDamage}`]
  const warnings = [...status.notices, ...status.vault.warnings, ...damage].map((line) =>
    output.paint('yellow', `warning: ${line}`),
  )
  const unseen = status.unseen.flatMap((notice) => noticeLines(notice, output))
  const more = unseen.length > 0 ? ['Mark them as seen with `cordon notices seen --all`.'] : []
  const title = output.paint('bold', `Cordon ${status.version}`)
  return [title, ...columns(rows), ...warnings, ...unseen, ...more]
}

/** Above a chat prompt, by what can be typed there. */
function describeVault({ vault }: KernelStatus, talk: boolean): string {
  if (vault.state === 'absent') {
    return talk
      ? 'none yet: you are asked about it with your first credential'
      : 'not set up yet: run `cordon vault init`'
  }
  if (vault.state === 'locked') {
    return talk ? 'locked: type `unlock`' : 'locked: run `cordon vault unlock`'
  }
  return `unlocked by ${vault.keySource}, ${vault.secrets} secrets`
}

async function showStatus(context: Context, output: Output): Promise<void> {
  await using api = await context.surface.findKernel()
  if (!api) throw notRunning('Cannot show the status: Cordon is not running')
  const status = await api.call('status', {})
  output.answer({ running: true, ...status }, () => describe(status, output))
}

async function down(context: Context, output: Output): Promise<void> {
  await using api = await context.surface.findKernel()
  if (!api) throw notRunning('Cannot stop Cordon: it is not running')
  const { pid } = await api.call('down', {})
  const hasEnded = await ended(pid, () => output.note('Waiting for calls under way to end …'))
  if (!hasEnded) throw stillEnding(pid)
  output.answer({ stopped: true, pid }, () => [`Cordon (process ${pid}) has stopped.`])
}

function notRunning(message: string): CordonError {
  return new CordonError('cli.not-running', { exit: 5, hint: 'Run `cordon up`' }, message)
}

function stillEnding(pid: number): CordonError {
  return new CordonError(
    'cli.still-ending',
    { exit: 5, hint: `End it with \`kill -9 ${pid}\`: nothing that is on record is lost` },
    `Cannot say that Cordon has stopped: process ${pid} is still there after ten minutes`,
  )
}

/** Waits for the end of the process: only then every room is closed and the home is free. */
async function ended(pid: number, tell: () => void): Promise<boolean> {
  for (let waited = 0; isAlive(pid); waited += 20) {
    if (waited >= LONGEST_END_MS) return false
    if (waited === TELL_MS) tell()
    await pause(20)
  }
  return true
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A zombie process still has its pid until its parent reaps it.
    return !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ')
  } catch {
    return false
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function noJson(): CordonError {
  return new CordonError(
    'cli.no-json',
    { exit: 2, hint: 'Run a command for each thing to ask, such as `cordon mcp call --json`' },
    'Cannot chat in JSON: a chat is not one answer',
  )
}
