/** `catalog …` and `registry …`: what can be connected. */
import type { Command } from 'commander'
import type { FoundService, RegistryPage } from '../../kernel/catalog-port.ts'
import type { Service } from '../../kernel/service-facts.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { columns, type Output, printableLine } from '../output.ts'

export function addCatalogCommands(program: Command, context: Context): void {
  const catalog = program.command('catalog').description('services that Cordon knows')
  catalog
    .command('list')
    .description('list them')
    .action(async (_options: object, command: Command) => {
      const answer = await withApi(context, command, (api) => api.call('catalog.list', {}))
      outputOf(context, command).answer(answer, () => listServices(answer.services))
    })
  catalog
    .command('show')
    .argument('<service>')
    .description('show one: what it runs, what it may reach, what it needs')
    .addHelpText('after', '\nExample:\n  $ cordon catalog show notion')
    .action(async (service: string, _options: object, command: Command) => {
      const found = await withApi(context, command, (api) => api.call('catalog.show', { service }))
      outputOf(context, command).answer(found, () => describeService(found))
    })
  addRegistryCommands(program, context)
}

interface SearchOptions {
  readonly source?: 'official' | 'smithery'
  readonly next?: string
}

function addRegistryCommands(program: Command, context: Context): void {
  const registry = program.command('registry').description('public lists of servers')
  registry
    .command('search')
    .argument('<words...>')
    .description('look for a server in the public registries')
    .option('--source <source>', 'only `official` or `smithery`')
    .option('--next <cursor>', 'go on where an earlier search ended')
    .addHelpText('after', '\nExample:\n  $ cordon registry search github')
    .action(async (words: string[], options: SearchOptions, command: Command) => {
      const query = { query: words.join(' '), ...options }
      const page = await withApi(context, command, (api) =>
        api.call('registry.search', query, context.signal),
      )
      const output = outputOf(context, command)
      for (const notice of page.notices) output.note(`warning: ${printableLine(notice)}`)
      output.answer(page, () => describePage(page, output))
    })
  registry
    .command('refresh')
    .description('forget what was remembered of the registries')
    .action(async (_options: object, command: Command) => {
      await withApi(context, command, (api) => api.call('registry.refresh', {}))
      outputOf(context, command).answer({}, () => ['The next search asks them again.'])
    })
}

function listServices(services: readonly Service[]): readonly string[] {
  return columns([
    ['SERVICE', 'NAME', 'RUNS', 'NEEDS'],
    ...services.map((service) => [
      service.slug,
      service.title,
      runsOf(service),
      needsOf(service) || 'nothing',
    ]),
  ])
}

function describeService(service: Service): readonly string[] {
  const rows = [
    ['service', service.slug],
    ['name', service.title],
    ['about', service.about],
    ['runs', runsOf(service)],
    ['may reach', service.domains.join(', ') || 'nothing'],
    ['refused', service.telemetryDomains.join(', ')],
    ['label', service.label],
    ...service.credentials.map(({ title, where, required }) => [
      'needs',
      `${title}${required ? '' : ' (optional)'}${where ? `: ${where}` : ''}`,
    ]),
    ['signs in by', service.oauth.map(({ kind }) => kind).join(', ')],
    ...service.notes.map((note) => ['note', note]),
    ['connect it', `cordon connect ${service.slug}`],
  ]
  return columns(rows.filter(([, text]) => text !== '').map((row) => row.map(printableLine)))
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

function runsOf({ launch }: Service): string {
  switch (launch.kind) {
    case 'npm':
      return `${launch.package}@${launch.version}`
    case 'remote':
      return launch.url
    case 'http':
      return `requests to ${launch.baseUrl}`
    default:
      return 'cannot run here yet'
  }
}

function needsOf({ credentials }: Service): string {
  return credentials
    .filter(({ required }) => required)
    .map(({ title }) => title)
    .join(', ')
}
