/**
 * The answer to the owner without a model: the result of the last step, named by its server and marked as that server's
 * words. What a channel is not cleared for is not shown there. Pure.
 */
import { isTrusted, OWN_WORDS } from '../labels/label.ts'
import { Labelled } from '../labels/labelled.ts'
import { deliver, type Sink } from '../labels/sink.ts'
import { showResult } from '../text/show-result.ts'

const SAVED_BY = 'in a shell, `cordon mcp call … --out FILE` saves it'

/** `server`: the name of the one whose answer it is. */
export function synthesize(result: Labelled | undefined, server: string, sink: Sink): Labelled {
  if (!result) return ownText('Done.')
  const delivery = deliver(result, sink)
  if (delivery.kind === 'withheld') return ownText(delivery.reason)
  const shown = showResult(delivery.value, SAVED_BY).trim()
  if (/^(?:|null|\{\}|\[\])$/.test(shown)) return ownText(`Done. ${server} found nothing.`)
  const { label } = result
  const text = isTrusted(label) ? `${server}: ${shown}` : `${server} says:\n${quoted(shown)}`
  return new Labelled(text, { label })
}

export function ownText(text: string): Labelled {
  return new Labelled(text, { label: OWN_WORDS })
}

/** Every line of somebody else's text is marked, so that it cannot pass for Cordon's own. */
export function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `│ ${line}`)
    .join('\n')
}
