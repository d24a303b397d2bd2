/** `registry …`: every node that a flow can use, and the public registries of servers. */
import type { Command } from 'commander'
import type { Api, Input } from '../../api/contract.ts'
import type { FoundService, RegistryPage } from '../../ports/catalog-port.ts'
import { CordonError } from '../../kernel/error.ts'
import { printable } from '../../text/untrusted-text.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { describeNodes } from '../flow/flow-view.ts'
import { columns, type Output, printableLine } from '../output.ts'
import { runsOf } from './catalog.ts'
import { exportEntries } from './mcp-export.ts'
import { addRegistryChecks } from './registry-checks.ts'

export function addRegistryCommands(program: Command, context: Context): void {
  const registry = program
    .command('registry')
    .description('the nodes that flows are made of, and public lists of servers')
  addNodes(registry, context)
  addSearch(registry, context)
  addRegistryChecks(registry, context)
}

function addNodes(registry: Command, context: Context): void {
  registry
    .command('list')
    .description('list the nodes: tools of servers, and what is built in')
    .option('--filter <words>', 'only those that fit, such as `mcp` or `github`')
    .addHelpText('after', '\nExample:\n  $ cordon registry list --filter github')
    .action(async ({ filter }: { readonly filter?: string }, command: Command) => {
      const query = filter === undefined ? {} : { filter }
      const answer = await withApi(context, command, (api) => api.call('flows.nodes', query))
      outputOf(context, command).answer(answer, () => describeNodes(answer.nodes))
    })
  registry
    .command('describe')
    .argument('<node>')
    .description('show what a node reads, gives and does')
    .addHelpText('after', '\nExample:\n  $ cordon registry describe mcp-github-search-code')
    .action(async (name: string, _options: object, command: Command) => {
      const node = await withApi(context, command, (api) => api.call('flows.node', { name }))
      outputOf(context, command).answer(node, () => [printable(node.text.trimEnd())])
    })
  registry
    .command('export')
    .argument('[node]', 'without it, every tool as an entry of a registry')
    .description('write a node down as a TypeScript class to read, or tools as a registry')
    .option('--ts', 'one node as a class (what happens if one is named)')
    .option('--filter <words>', 'only the tools that fit, such as `github`')
    .option('--out <file>', 'the registry into a new file')
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon registry export mcp-github-search-code --ts\n  $ cordon registry export --out registry.json',
    )
    .action(async (name: string | undefined, options: RegistryExport, command: Command) => {
      if (name === undefined) return await exportEntries(context, command, options)
      const node = await withApi(context, command, (api) => api.call('flows.node', { name }))
      outputOf(context, command).answer({ id: node.id, code: node.code }, () => [
        printable(node.code.trimEnd()),
      ])
    })
}

interface RegistryExport {
  readonly filter?: string
  readonly out?: string
}

interface SearchOptions {
  readonly source?: 'official' | 'smithery'
  readonly next?: string
}

function addSearch(registry: Command, context: Context): void {
  registry
    .command('search')
    .argument('<words...>')
    .description('look for nodes here, and for servers in the public registries')
    .option('--source <source>', 'only `official` or `smithery`')
    .option('--next <cursor>', 'go on where an earlier search ended')
    .addHelpText('after', '\nExample:\n  $ cordon registry search github')
    .action(async (words: string[], options: SearchOptions, command: Command) => {
      const query = words.join(' ')
      const answer = await withApi(context, command, async (api) => {
        // The first page of this search has shown the nodes already.
        const nodes = options.next === undefined ? await nodesFor(api, query) : []
        const page = await searchServers(
          api,
          { query, ...options },
          nodes.length > 0,
          context.signal,
        )
        return { ...page, nodes }
      })
      const output = outputOf(context, command)
      for (const notice of answer.notices) output.note(`warning: ${printableLine(notice)}`)
      output.answer(answer, () => [
        ...(answer.nodes.length > 0 ? describeNodes(answer.nodes) : []),
        ...(answer.found.length > 0 || answer.nodes.length === 0
          ? describePage(answer, output)
          : []),
      ])
    })
}

/** If nodes were found, a registry that cannot be reached is only a warning. */
async function searchServers(
  api: Api,
  query: Input<'registry.search'>,
  hasNodes: boolean,
  signal: AbortSignal,
): Promise<RegistryPage> {
  try {
    return await api.call('registry.search', query, signal)
  } catch (error) {
    if (!hasNodes || !(error instanceof CordonError)) throw error
    return { found: [], notices: [error.message] }
  }
}

async function nodesFor(api: Api, filter: string) {
  return (await api.call('flows.nodes', { filter })).nodes
}

function describePage({ found, next }: RegistryPage, output: Output): readonly string[] {
  if (found.length === 0) return ['Nothing found.']
  const rows = found.map((one) => [
    printableLine(one.service.title),
    output.paint(one.verified ? 'green' : 'gray', `[${one.badge}]`),
    popularityOf(one),
    printableLine(runsOf(one.service)),
    printableLine(one.service.about.slice(0, 60)),
  ])
  const more = next === undefined ? [] : [printableLine(`More: add \`--next ${next}\`.`)]
  return [...columns(rows), ...more]
}

function popularityOf({ verified, uses }: FoundService): string {
  return [verified ? 'verified' : '', uses === undefined ? '' : `${uses} uses`]
    .filter(Boolean)
    .join(', ')
}
