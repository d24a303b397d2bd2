/** Errors that say why a flow cannot run on a schedule. */
import type { CordonError } from '../../kernel/error.ts'
import type { FlowFinding } from '../../ports/flow-port.ts'
import { flowError } from '../flow-errors.ts'

export function withoutSinks(name: string): CordonError {
  return flowError(
    'flows.no-sink',
    `Cannot schedule ${JSON.stringify(name)}: nobody said where what it gives may go`,
    'Add `--sink sink:owner` to keep it for yourself',
  )
}

export function unknownTemplate(name: string): CordonError {
  return flowError(
    'flows.no-template',
    `Cannot find the template ${JSON.stringify(name)}`,
    `Write [templates.${/^[\w-]+$/.test(name) ? name : 'nightly'}] with allowed_tools and output_sinks into config.toml`,
  )
}

export function unnamedSink(sink: string, template: string): CordonError {
  return flowError(
    'flows.no-sink',
    `Cannot send anything to ${JSON.stringify(sink)}: template ${JSON.stringify(template)} does not name it`,
    `Name it in output_sinks of [templates.${template}], or use another one`,
  )
}

export function unknownSink(sink: string): CordonError {
  const isTelegram = sink.startsWith('sink:telegram:')
  return flowError(
    'flows.no-sink',
    `Cannot send anything to ${JSON.stringify(sink)}: ${isTelegram ? 'that account of Telegram is not paired' : 'there is no such sink'}`,
    isTelegram
      ? 'Run `cordon channels add telegram` and `cordon channels pair telegram`, or use sink:owner'
      : 'Use sink:owner, or sink:telegram:owner',
  )
}

export function noNextTime(times: string): CordonError {
  return flowError(
    'flows.bad-schedule',
    `Cannot schedule anything at ${JSON.stringify(times)}: that time never comes`,
    'Say a time that is yet to come, such as tomorrow at 8',
  )
}

/** A file tool works in the folder that its flow was typed in. */
export function withoutFolder(name: string, node: string): CordonError {
  return flowError(
    'flows.unsound',
    `Cannot schedule ${JSON.stringify(name)}: ${JSON.stringify(node)} works in the folder that you stand in, and a scheduled run has none`,
    'Use the tools of a server for files instead: `cordon connect filesystem`',
  )
}

export function unsound(name: string, { code, place, message, hint }: FlowFinding): CordonError {
  const where = place === '' ? '' : `${place}: `
  return flowError(
    'flows.unsound',
    `Cannot schedule ${JSON.stringify(name)}: ${where}${message}`,
    code === 'input.missing'
      ? missingHint(place, hint)
      : hint || `Run \`cordon flow check ${name}\` to see all of it`,
  )
}

/** An input is a flag of the flow itself in a run, and not in the command that schedules it. */
function missingHint(place: string, hint: string): string {
  const [, input] = /^inputs\.(.+)$/.exec(place) ?? []
  return input === undefined ? hint : `Add \`--input ${input}=VALUE\``
}
