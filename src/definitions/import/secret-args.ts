/** Finds the arguments of a command that hold a secret: `--token x`, `--api-key=x`, `NAME=x`, or a bare token. Pure. */
import { looksSecret } from '../../text/looks-secret.ts'

export interface SecretArg {
  readonly index: number
  /** The flag or variable of the secret, without dashes; empty for a bare token. */
  readonly name: string
  /** The text before the secret in the same argument: `--api-key=`. */
  readonly before: string
  readonly value: string
}

const ASSIGNMENT = /^(?<before>-{0,2}(?<name>[A-Za-z][\w.-]*)=)(?<value>[^]*)$/
const FLAG = /^-{1,2}(?<name>[A-Za-z][\w.-]*)$/

export function findSecretArgs(args: readonly string[]): readonly SecretArg[] {
  return args.flatMap((arg, index) => {
    const readings = [assigned(arg), { name: flagName(args[index - 1]), before: '', value: arg }]
    const found = readings.find((reading) => reading && looksSecret(reading.name, reading.value))
    return found ? [{ index, ...found }] : []
  })
}

function assigned(arg: string): Omit<SecretArg, 'index'> | undefined {
  const { before, name, value } = ASSIGNMENT.exec(arg)?.groups ?? {}
  if (before === undefined || name === undefined || value === undefined) return undefined
  return { name, before, value }
}

function flagName(arg: string | undefined): string {
  return FLAG.exec(arg ?? '')?.groups?.['name'] ?? ''
}
