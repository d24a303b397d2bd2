/**
 * Tools and a prompt of the modern era whose call needs something of the client first (SEP-2322), and those that the
 * scenario `server-stateless` calls by name.
 */
import { createHmac, randomBytes } from 'node:crypto'

const META = 'io.modelcontextprotocol/'
const text = (said) => ({ type: 'text', text: said })
const answer = (...content) => ({ content })

/** The call is answered with these requests, and made again by a client that has answered them. */
export class InputRequired extends Error {
  constructor(inputRequests, requestState) {
    super('The client is asked first')
    this.asked = { inputRequests, ...(requestState !== undefined && { requestState }) }
  }
}

const SECRET = randomBytes(32)
/** State that a client cannot change: it comes back with its digest. */
const sealed = (state) => `${state}.${createHmac('sha256', SECRET).update(state).digest('hex')}`

const question = (message, name, type = 'string') => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { [name]: { type } }, required: [name] },
  },
})
const SAMPLING = {
  method: 'sampling/createMessage',
  params: {
    messages: [{ role: 'user', content: text('What is the capital of France?') }],
    maxTokens: 100,
  },
}
const ROOTS = { method: 'roots/list', params: {} }

/** The answers to these requests; until the client comes back with all of them, the call is answered with the requests. */
function required({ inputResponses = {}, requestState }, requests, state) {
  const isWhole = Object.keys(requests).every((key) => key in inputResponses)
  if (isWhole && state !== undefined && requestState !== state) {
    throw Object.assign(new Error('The state was changed'), { code: -32602 })
  }
  if (isWhole) return inputResponses
  throw new InputRequired(requests, state)
}

const INPUT_REQUIRED = {
  elicitation: (params) => {
    const { user_name: given } = required(params, { user_name: question('Your name?', 'name') })
    return answer(text(`Hello, ${given.content?.name}!`))
  },
  sampling: (params) => {
    const { capital_question: given } = required(params, { capital_question: SAMPLING })
    return answer(text(given.content?.text ?? 'nothing'))
  },
  list_roots: (params) => {
    const { client_roots: given } = required(params, { client_roots: ROOTS })
    return answer(text(JSON.stringify(given.roots)))
  },
  request_state: (params) => {
    required(params, { confirm: question('Please confirm', 'ok', 'boolean') }, 'state-1')
    return answer(text('state-ok'))
  },
  multiple_inputs: (params) => {
    const requests = {
      user_name: question('What is your name?', 'name'),
      greeting: SAMPLING,
      client_roots: ROOTS,
    }
    return answer(text(JSON.stringify(required(params, requests, 'state-all'))))
  },
  multi_round: (params) => {
    if (params.requestState !== 'round-2') {
      required(params, { step1: question('Step 1: your name?', 'name') }, 'round-1')
      throw new InputRequired({ step2: question('Step 2: your colour?', 'color') }, 'round-2')
    }
    required(params, { step2: question('Step 2: your colour?', 'color') }, 'round-2')
    return answer(text('both rounds are done'))
  },
  tampered_state: (params) => {
    required(params, { confirm: question('Please confirm', 'ok', 'boolean') }, sealed('state'))
    return answer(text('state-ok'))
  },
  capabilities: (params) => {
    const { elicitation, sampling } = params._meta?.[`${META}clientCapabilities`] ?? {}
    const requests = {
      ...(elicitation && { name: question('What is your name?', 'name') }),
      ...(sampling && { greeting: SAMPLING }),
    }
    return answer(text(JSON.stringify(required(params, requests))))
  },
}

/** Tools of the modern era that `server-stateless` calls by name. */
const DIAGNOSTIC = {
  test_streaming_elicitation: (params) => INPUT_REQUIRED.elicitation(params),
  test_logging_tool: ({ _meta }) => {
    if (_meta?.[`${META}logLevel`] !== undefined) log('asked for')
    return answer(text('logged, if that was asked for'))
  },
  test_missing_capability: ({ _meta }) => {
    const capabilities = _meta?.[`${META}clientCapabilities`] ?? {}
    if (capabilities.sampling) return answer(text('It is there'))
    const data = { requiredCapabilities: { sampling: {} } }
    throw Object.assign(new Error('This needs sampling'), { code: -32021, data })
  },
}

function log(data) {
  const message = { method: 'notifications/message', params: { level: 'info', data } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

export const MODERN_TOOLS = {
  ...Object.fromEntries(
    Object.entries(INPUT_REQUIRED).map(([name, run]) => [
      `test_input_required_result_${name}`,
      (_args, params) => run(params),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(DIAGNOSTIC).map(([name, run]) => [name, (_args, params) => run(params)]),
  ),
}

export const MODERN_PROMPTS = {
  test_input_required_result_prompt: [
    [],
    (_args, params) => {
      const asked = { user_context: question('Which context?', 'context') }
      const { user_context: given } = required(params, asked)
      const words = `Use this context: ${given.content?.context}`
      return { messages: [{ role: 'user', content: text(words) }] }
    },
  ],
}
