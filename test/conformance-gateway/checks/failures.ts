/** Late answers, crashes and large messages touch one call, and nothing else. */
import { type Check, expect, read } from '../check.ts'
import { comes } from '../client/mcp-client.ts'

const MIB = 2 ** 20

export const FAILURES: readonly Check[] = [
  {
    id: 'failures.cancelled',
    title: 'a cancelled request gets no answer, not even when the server answers late',
    async run(subject) {
      const client = await subject.client()
      const key = 'late'
      const params = await subject.paramsFor(client, 'alpha', 'hold_stubborn', { key })
      const { id } = client.begin('tools/call', params)
      const began = await comes(async () => (await subject.seen(client)).began.includes(key))
      expect(began, 'the call never reached the server')
      await client.notify('notifications/cancelled', { requestId: id })
      await subject.result(client, 'alpha', 'echo', { text: 'between' })
      await subject.call(client, 'alpha', 'release', { key, text: 'late answer' })
      const { text } = await subject.result(client, 'alpha', 'echo', { text: 'after' })
      expect(text === 'alpha: after', `the next call was answered with ${text.slice(0, 100)}`)
      expect(client.answersTo(id) === 0, 'the cancelled request was answered')
    },
  },
  {
    id: 'failures.large-result',
    title: 'a result of 10 MiB arrives whole, or fails that call alone',
    isRough: true,
    async run(subject) {
      const client = await subject.client()
      const bytes = 10 * MIB
      const { isError, text } = await subject.call(client, 'alpha', 'big', { bytes })
      expect(!text.startsWith('no answer'), `the call got ${text.slice(0, 100)}`)
      expect(isError || text.length === bytes, `${text.length} of ${bytes} characters came`)
      const after = await subject.result(client, 'alpha', 'echo', { text: 'after' })
      expect(after.text === 'alpha: after', `the next call got ${after.text.slice(0, 100)}`)
    },
  },
  {
    id: 'failures.large-arguments',
    title: 'arguments of 1 MiB arrive whole, or fail that call alone',
    isRough: true,
    async run(subject) {
      const client = await subject.client()
      const { isError, text } = await subject.call(client, 'alpha', 'size', {
        text: 'x'.repeat(MIB),
      })
      expect(!text.startsWith('no answer'), `the call got ${text.slice(0, 100)}`)
      expect(isError || text === String(MIB), `${text.slice(0, 20)} of ${MIB} characters came`)
      const after = await subject.result(client, 'alpha', 'echo', { text: 'after' })
      expect(after.text === 'alpha: after', `the next call got ${after.text.slice(0, 100)}`)
    },
  },
  {
    id: 'failures.crash',
    title: 'a call of a server that crashes fails, and the other servers go on',
    backends: ['alpha', 'fragile'],
    isRough: true,
    async run(subject) {
      const client = await subject.client()
      await subject.tools(client)
      const params = await subject.paramsFor(client, 'alpha', 'hold', { key: 'over' })
      const held = client.begin('tools/call', params)
      await comes(async () => (await subject.seen(client)).began.includes('over'))
      const crashed = await subject.call(client, 'fragile', 'crash')
      expect(crashed.isError && !crashed.text.startsWith('no answer'), `crash: ${crashed.text}`)
      await subject.result(client, 'alpha', 'release', { key: 'over', text: 'whole' })
      const { text } = read(await held.outcome)
      expect(text === 'alpha: whole', `a call under way elsewhere got ${text.slice(0, 100)}`)
    },
  },
  {
    id: 'failures.restart',
    title: 'a server that crashed is started again by a later call',
    isRough: true,
    async run(subject) {
      const client = await subject.client()
      await subject.tools(client)
      await subject.call(client, 'alpha', 'crash')
      const isBack = await comes(
        async () => !(await subject.call(client, 'alpha', 'echo', { text: 'x' })).isError,
      )
      expect(isBack, 'no later call of the same client was served')
    },
  },
]
