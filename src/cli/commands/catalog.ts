/** `catalog …`: the services that Cordon knows. */
import type { Command } from 'commander'
import type { Service } from '../../ports/service-facts.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { columns, printableLine } from '../output.ts'

export function addCatalogCommands(program: Command, context: Context): void {
  const catalog = program.command('catalog').description('services that Cordon knows')
  catalog
    .command('list')
    .description('list them')
    .addHelpText('after', '\nExample:\n  $ cordon catalog list')
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

export function runsOf({ launch }: Service): string {
  switch (launch.kind) {
    case 'npm':
      return `${launch.package}@${launch.version}${launch.isShipped ? ', comes with Cordon' : ''}`
    case 'pypi':
      return `${launch.package} ${launch.version}, in Python`
    case 'image':
      return `the image ${launch.package}${launch.version.startsWith('sha256:') ? '@' : ':'}${launch.version}`
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
