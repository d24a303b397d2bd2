/** For every check, one thing that a gateway may do wrong and that the check has to notice. */
import type { Answer, Fault, Params } from './fault.ts'

type Rewrite = (result: Params) => Params

/** Rewrites the results of one method. */
const results = (of: string, rewrite: Rewrite): Fault => ({
  answer: (method, answer) =>
    method === of && answer.result ? { result: rewrite(answer.result) } : answer,
})
const lacks = (of: string): Fault => ({
  answer: (method, answer) =>
    method === of ? { error: { code: -32_601, message: 'There is no such method' } } : answer,
})
const drops = (of: string): Fault => ({ drops: (method) => method === of })
const broadcasts = (of: string): Fault => ({ broadcasts: (method) => method === of })
const without =
  (...keys: readonly string[]): Rewrite =>
  (from) =>
    Object.fromEntries(Object.entries(from).filter(([key]) => !keys.includes(key)))
const eachOf =
  (key: string, rewrite: Rewrite): Rewrite =>
  (from) => ({ ...from, [key]: ((from[key] ?? []) as readonly Params[]).map(rewrite) })
const textsOf = (rewrite: (text: string) => string): Rewrite =>
  eachOf('content', (block) =>
    typeof block['text'] === 'string' ? { ...block, text: rewrite(block['text']) } : block,
  )
const FAILED: Answer = { result: { content: [{ type: 'text', text: 'failed' }], isError: true } }
const hasFailed = ({ result, error }: Answer): boolean => !!error || result?.['isError'] === true

export const FAULTS: Readonly<Record<string, Fault>> = {
  'features.tools': results(
    'tools/call',
    textsOf((text) => `relay: ${text}`),
  ),
  'features.structured': results('tools/call', without('structuredContent')),
  'features.content': results('tools/call', (result) => ({
    ...result,
    content: ((result['content'] ?? []) as readonly Params[]).filter(({ type }) => type === 'text'),
  })),
  'features.annotations': results('tools/list', eachOf('tools', without('annotations'))),
  'features.call-meta': { forward: (_method, params) => without('_meta')(params) },
  'features.result-meta': results('tools/call', without('_meta')),
  'features.errors': { answer: (_method, answer) => (hasFailed(answer) ? FAILED : answer) },
  'features.resources': lacks('resources/read'),
  'features.templates': lacks('resources/templates/list'),
  'features.subscriptions': drops('notifications/resources/updated'),
  'features.prompts': lacks('prompts/get'),
  'features.completion': lacks('completion/complete'),
  'features.logging': drops('notifications/message'),
  'features.progress': drops('notifications/progress'),
  'features.cancellation': { does: 'ignore cancellation' },
  'features.elicitation': drops('elicitation/create'),
  'features.unasked': drops('sampling/createMessage'),
  'isolation.results': { does: 'answer by id alone' },
  'isolation.progress': broadcasts('notifications/progress'),
  'isolation.logs': broadcasts('notifications/message'),
  'isolation.updates': broadcasts('notifications/resources/updated'),
  'isolation.questions': broadcasts('elicitation/create'),
  'isolation.cancellation': { does: 'cancel by id alone' },
  'isolation.sessions': { lacks: 'owner of a session' },
  'refusals.answered': {
    answer: (method, answer) => (method === 'tasks/list' ? undefined : answer),
  },
  'refusals.unknown-method': {
    answer: (_method, answer) => (answer.error?.code === -32_601 ? { result: {} } : answer),
  },
  'refusals.unknown-tool': { does: 'forward unknown tools' },
  'refusals.no-token': { lacks: 'token' },
  'refusals.foreign-host': { lacks: 'host' },
  'refusals.headers': { lacks: 'headers' },
  'names.length': { names: 'long' },
  'names.truncation': { names: 'cut' },
  'names.collision': { names: 'plain' },
  'names.list-changes': drops('notifications/prompts/list_changed'),
  'names.new-tool': { does: 'list once' },
  'failures.cancelled': { does: 'answer what was cancelled' },
  'failures.large-result': results(
    'tools/call',
    textsOf((text) => text.slice(0, 2 ** 20)),
  ),
  'failures.large-arguments': {
    forward: (_method, params) => {
      const { text, ...args } = (params['arguments'] ?? {}) as Params
      const cut = typeof text === 'string' && { text: text.slice(0, 2 ** 16) }
      return { ...params, arguments: { ...args, ...cut } }
    },
  },
  'failures.crash': { does: 'end all with one' },
  'failures.restart': { does: 'never restart' },
  'hostile.flood': { does: 'pass everything on' },
  'hostile.garbage': { does: 'end on garbage' },
  'hostile.shadow': { names: 'taken over' },
  'hostile.turn': { does: 'list what was changed' },
  'hostile.ids': { does: 'trust ids of servers' },
  'hostile.twice': { does: 'answer twice' },
  'hostile.phish': { does: 'hide who asks' },
}
