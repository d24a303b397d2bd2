/** `registry validate|test-mcp-connections|refresh|migrate-mcp`: maintenance of nodes and their servers. */
import path from 'node:path'
import type { Command } from 'commander'
import type { Api } from '../../api/contract.ts'
import { CordonError } from '../../kernel/error.ts'
import type { FlowFinding } from '../../ports/flow-port.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { describeFinding } from '../flow/flow-view.ts'
import { columns, printableLine } from '../output.ts'
import { migrate } from './mcp-migrate.ts'
import { waitingTools } from './mcp-view.ts'
import { addServerCommand } from './registry-add.ts'

export function addRegistryChecks(registry: Command, context: Context): void {
  addValidate(registry, context)
  addConnections(registry, context)
  addRefresh(registry, context)
  addMoving(registry, context)
  addServerCommand(registry, context)
}

interface Judged {
  readonly name: string
  readonly findings: readonly FlowFinding[]
}

function addValidate(registry: Command, context: Context): void {
  registry
    .command('validate')
    .description('look at every node, and whether the saved flows still run')
    .option('--all', 'nodes and saved flows (what happens without an option)')
    .option('--mcp-wrappers', 'only the tools of servers')
    .addHelpText('after', '\nExample:\n  $ cordon registry validate --all')
    .action(async (options: { readonly mcpWrappers?: boolean }, command: Command) => {
      const answer = await withApi(context, command, async (api) => {
        const nodes = await judgeNodes(api, options.mcpWrappers === true)
        const flows = options.mcpWrappers ? [] : await judgeFlows(api, context.signal)
        return { nodes, flows }
      })
      const all = [...answer.nodes, ...answer.flows]
      const bad = all.filter(({ findings }) => findings.some(isError))
      outputOf(context, command).answer(answer, () => [
        ...all
          .filter(({ findings }) => findings.length > 0)
          .flatMap(({ name, findings }) => [
            printableLine(name),
            ...findings.flatMap(describeFinding).map((line) => `  ${line}`),
          ]),
        `${answer.nodes.length} nodes, ${answer.flows.length} saved flows, ${bad.length} with problems.`,
      ])
      if (bad.length > 0) context.endWith(2)
    })
}

function isError({ severity }: FlowFinding): boolean {
  return severity === 'error'
}

async function judgeNodes(api: Api, onlyWrappers: boolean): Promise<readonly Judged[]> {
  const { nodes } = await api.call('flows.nodes', {})
  return nodes
    .filter(({ kind }) => !onlyWrappers || kind === 'mcp')
    .map(({ id, blocked, server }) => ({
      name: id,
      findings: blocked === undefined ? [] : [cannotUse(blocked, server)],
    }))
}

function cannotUse(blocked: string, server: string | undefined): FlowFinding {
  const hint = server === undefined ? '' : `Run \`cordon tools diff ${server}\` to see why`
  return { severity: 'error', code: 'node.blocked', message: blocked, place: '', hint }
}

async function judgeFlows(api: Api, signal: AbortSignal): Promise<readonly Judged[]> {
  const { flows } = await api.call('flows.list', {})
  const checks = flows.map(async ({ name }) => {
    const { findings } = await api.call('flows.check', { source: { kind: 'saved', name } }, signal)
    return { name, findings }
  })
  return await Promise.all(checks)
}

function addConnections(registry: Command, context: Context): void {
  registry
    .command('test-mcp-connections')
    .description('start every server that is not switched off, and say which answer')
    .addHelpText('after', '\nExample:\n  $ cordon registry test-mcp-connections')
    .action(async (_options: object, command: Command) => {
      const connections = await withApi(context, command, (api) => tryAll(api, context.signal))
      outputOf(context, command).answer({ connections }, () =>
        connections.length === 0
          ? ['There is no server.']
          : columns(
              connections.map(({ server, isReached, about }) => [
                server,
                isReached ? 'ok' : 'failed',
                printableLine(about),
              ]),
            ),
      )
      if (connections.some(({ isReached }) => !isReached)) context.endWith(5)
    })
}

/** Sequentially: starting all servers at once would make each look slow. */
async function tryAll(api: Api, signal: AbortSignal) {
  const { servers } = await api.call('mcp.list', {})
  const tried: { server: string; isReached: boolean; about: string }[] = []
  for (const { server, state } of servers) {
    if (state.badge === 'disabled') continue
    tried.push({ server, ...(await tryOne(api, server, signal)) })
  }
  return tried
}

async function tryOne(api: Api, server: string, signal: AbortSignal) {
  try {
    const { badge, tools, reason } = await api.call('mcp.start', { server }, signal)
    if (badge === 'connected') return { isReached: true, about: `${tools} tools` }
    return { isReached: false, about: reason ?? `it is ${badge}` }
  } catch (error) {
    if (!(error instanceof CordonError)) throw error
    return { isReached: false, about: error.message }
  }
}

function addRefresh(registry: Command, context: Context): void {
  registry
    .command('refresh')
    .description('forget what was remembered of the registries, or read the tools of a server anew')
    .option('--mcp-server <server>', 'start this one again and read its tools')
    .addHelpText('after', '\nExample:\n  $ cordon registry refresh --mcp-server github')
    .action(async ({ mcpServer }: { readonly mcpServer?: string }, command: Command) => {
      const output = outputOf(context, command)
      if (mcpServer === undefined) {
        await withApi(context, command, (api) => api.call('registry.refresh', {}))
        return output.answer({}, () => ['The next search asks them again.'])
      }
      const state = await withApi(context, command, (api) =>
        api.call('mcp.restart', { server: mcpServer }, context.signal),
      )
      const waiting =
        state.quarantined > 0
          ? [`${waitingTools(state)}; read them with \`cordon tools diff ${mcpServer}\`.`]
          : []
      output.answer(state, () => [`${mcpServer} has ${state.tools} tools.`, ...waiting])
    })
}

function addMoving(registry: Command, context: Context): void {
  const { workingFolder } = context.surface
  registry
    .command('migrate-mcp')
    .description('move the servers of another program in (the same as `cordon mcp migrate`)')
    .requiredOption('--from <path>', 'its configuration')
    .option('--backup', 'keep the original, encrypted in the vault')
    .option('--dry-run', 'only show what would happen')
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon registry migrate-mcp --from ~/.cursor/mcp.json --backup',
    )
    .action(async (options: { from: string; backup?: true; dryRun?: true }, command: Command) => {
      const request = {
        path: path.resolve(workingFolder, options.from),
        dryRun: options.dryRun === true,
        backup: options.backup === true,
        replace: false,
      }
      await migrate(context, command, request, false)
    })
}
