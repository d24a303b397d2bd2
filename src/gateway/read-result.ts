/** `read_result`: reads on in a result that was too long to send. Raises the session's label by the part that is read. */
import { raiseLabel, sinkOf } from './client-session.ts'
import { HARMLESS, type OwnTool } from './own-tool.ts'
import { resultPart, spellPart } from './result-part.ts'
import { INVALID_PARAMS, RpcError } from './rpc-message.ts'
import { failed, text } from './show-call.ts'

const LONGEST_PART = 40_000

export const readResult: OwnTool = {
  definition: {
    name: 'read_result',
    description: `Reads a kept result: ${LONGEST_PART} characters at most, from offset, of the part at path ("items.0.name"; without it the whole).`,
    inputSchema: {
      type: 'object',
      properties: {
        id: { type: 'string' },
        path: { type: 'string' },
        offset: { type: 'integer', minimum: 0 },
        limit: { type: 'integer', minimum: 1, maximum: LONGEST_PART },
      },
      required: ['id'],
    },
    annotations: HARMLESS,
  },
  async call({ session, args }) {
    const { id, path = '', offset = 0, limit = LONGEST_PART } = args
    if (!Number.isInteger(offset) || !Number.isInteger(limit)) {
      throw new RpcError(INVALID_PARAMS, 'offset and limit have to be whole numbers')
    }
    const found = resultPart(session, id, path)
    if (typeof found === 'string') return failed(found)
    raiseLabel(session, found.label)
    const words = spellPart(found, sinkOf(session))
    const start = Math.max(0, Number(offset))
    const end = start + Math.min(LONGEST_PART, Math.max(1, Number(limit)))
    const more = end < words.length ? [text(`(${words.length - end} more; offset ${end})`)] : []
    return { content: [text(words.slice(start, end)), ...more] }
  },
}
