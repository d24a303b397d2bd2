/** Errors that say why a flow cannot run on a schedule. */
import type { CordonError } from '../../kernel/error.ts'
import type { FlowFinding } from '../../kernel/flow-port.ts'
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

export function missingSink(sink: string, template: string): CordonError {
  return flowError(
    'flows.no-sink',
    `Cannot send anything to ${JSON.stringify(sink)}: there is no such sink, or template ${JSON.stringify(template)} does not name it`,
    `Use sink:owner, and name it in output_sinks of [templates.${template}]`,
  )
}

export function unsound(name: string, { place, message, hint }: FlowFinding): CordonError {
  const where = place === '' ? '' : `${place}: `
  return flowError(
    'flows.unsound',
    `Cannot schedule ${JSON.stringify(name)}: ${where}${message}`,
    hint || `Run \`cordon flow check ${name}\` to see all of it`,
  )
}
