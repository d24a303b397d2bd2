/** The plan of a client's move, as lines for a person. Text from the client's file is shown as untrusted. */
import type { ClientPlan, EntryPlan } from '../../ports/client-import-port.ts'
import { printableLine } from '../output.ts'

export function describeClientPlan(plan: ClientPlan, isFuture: boolean): readonly string[] {
  const { name, path, entries, starts, isDone, isNewFile, registers, client } = plan
  if (isDone) return [...staying(plan), `${name}: uses Cordon already (${path})`].map(printableLine)
  const moving = entries.filter(({ fate }) => fate !== 'stays')
  const verb = isFuture ? 'would' : 'will'
  return [
    `${name} (${path})`,
    ...moving.flatMap((entry) => describeMoving(entry)),
    ...staying(plan),
    `  the file ${verb} ${isNewFile ? 'be made, and ' : ''}start Cordon: ${starts.command} ${starts.args.join(' ')}`,
    ...(plan.isOfProject ? [SHARED] : []),
    ...(isNewFile
      ? []
      : [
          `  the original is kept, encrypted, for \`cordon import ${plan.isOfProject ? '--project' : client} --undo\``,
        ]),
    ...(registers ? [`  ${client} gets a key of its own for the gateway`] : []),
  ].map(printableLine)
}

const SHARED =
  '  the file belongs to everybody who works on the project, and this line holds on this machine alone'

function describeMoving(entry: EntryPlan): readonly string[] {
  const { fate, server, runs, installs, hosts, secrets, needsSignIn, why, notes } = entry
  if (fate === 'there') {
    return [`  ${titleOf(entry)}: is in Cordon already as ${server}`, ...indented(notes)]
  }
  const renamed = server === entry.name ? '' : ` as ${server}`
  return [
    `  ${titleOf(entry)}: moves in${renamed}`,
    ...indented([
      ...(runs === undefined ? [] : [`runs: ${runs}`]),
      ...(installs === undefined ? [] : [`installs ${installs}, in its sandbox`]),
      hosts.length === 0 ? 'may reach no host' : `may reach: ${hosts.join(', ')}`,
      ...secrets.map((name) => `a token in plain text goes to the vault as ${name}`),
      ...(needsSignIn ? ['needs a sign-in afterwards'] : []),
      ...(why === undefined ? [] : [`left to do: ${why}`]),
      ...notes,
    ]),
  ]
}

function staying({ entries }: ClientPlan): readonly string[] {
  return entries
    .filter(({ fate }) => fate === 'stays')
    .map((entry) => `  ${titleOf(entry)}: stays as it is: ${entry.why ?? 'Cordon cannot start it'}`)
}

function titleOf({ name, project }: EntryPlan): string {
  return project === undefined ? name : `${name} (of the project ${project})`
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `    ${line}`)
}
