/** The errors of the owner's commands about clients. */
import { CordonError } from '../kernel/error.ts'

export const MOST_CLIENTS = 100

export function badName(name: string): CordonError {
  return new CordonError(
    'gateway.client-name',
    { exit: 2, hint: 'Use lower-case letters, digits and "-", at most 32 characters' },
    `Cannot name a client ${JSON.stringify(name)}`,
  )
}

export function nameTaken(name: string): CordonError {
  return new CordonError(
    'gateway.client-taken',
    { exit: 2, hint: `Choose another name, or run \`cordon client remove ${name}\` first` },
    `Cannot add client ${JSON.stringify(name)}: there is one`,
  )
}

export function tooMany(): CordonError {
  return new CordonError(
    'gateway.clients-full',
    { exit: 2, hint: 'Run `cordon client list`, and remove one that you no longer use' },
    `Cannot add a client: there are ${MOST_CLIENTS}`,
  )
}

export function noSuchClient(name: string): CordonError {
  return new CordonError(
    'gateway.no-client',
    { exit: 2, hint: 'Run `cordon client list` to see the clients there are' },
    `Cannot find client ${JSON.stringify(name)}`,
  )
}
