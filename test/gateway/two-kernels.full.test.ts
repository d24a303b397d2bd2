/**
 * Two kernels on one PostgreSQL and one real client whose requests alternate between them, as behind a load balancer
 * without sticky sessions. One kernel is killed half-way.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Output } from '../../src/api/contract.ts'
import { type Cordon, openCordon } from '../fixtures/cordon.ts'
import { say, startServers } from '../fixtures/gateway-clients.ts'
import { openPostgres } from '../fixtures/postgres.ts'
import { FOR_EVER_MS, until } from '../fixtures/until.ts'

const LONG = JSON.stringify({
  items: Array.from({ length: 4000 }, (_, at) => ({ id: at, note: `number ${at} of a long list` })),
})
const SEND = { name: 'sender__send', arguments: { to: 'a', body: 'b' } }

/** Sends each request to the next kernel; to the other one if it is gone. `served` counts the answers of each. */
class Balancer {
  readonly served: number[]
  readonly #urls: readonly URL[]
  /** The kernel that gets the next request. */
  next = 0

  constructor(urls: readonly string[]) {
    this.#urls = urls.map((url) => new URL(url))
    this.served = urls.map(() => 0)
  }

  readonly fetch = async (_url: string | URL, init?: RequestInit): Promise<Response> => {
    const [first, second] = [this.next, this.next + 1].map((at) => at % this.#urls.length)
    this.next += 1
    return await this.#send(first ?? 0, init).catch(() => this.#send(second ?? 0, init))
  }

  async #send(at: number, init: RequestInit | undefined): Promise<Response> {
    const response = await fetch(this.#urls[at] as URL, init)
    this.served[at] = (this.served[at] ?? 0) + 1
    return response
  }
}

async function urlOf(cordon: Cordon): Promise<string> {
  const { url = '' } = await cordon.ask<Output<'clients.list'>>(['client', 'list'])
  return url
}

type Question = Output<'approvals.list'>['approvals'][number]

async function questions(cordon: Cordon): Promise<readonly Question[]> {
  return (await cordon.ask<Output<'approvals.list'>>(['approvals', 'list'])).approvals
}

/** Calls, and gives up as soon as the owner is asked; the question, which nobody waits for any more. */
async function callAndLeave(cordon: Cordon, client: Client, balancer: Balancer): Promise<Question> {
  const leaving = new AbortController()
  balancer.next = 0
  const calling = client
    .callTool(SEND, { signal: leaving.signal, timeout: FOR_EVER_MS / 2 })
    .catch(() => 'left')
  await until(async () => (await questions(cordon)).length > 0)
  balancer.next = 0 // a legacy client says so by a request of its own, which only the kernel of the call can obey
  leaving.abort()
  assert.equal(await calling, 'left')
  await until(async () => (await questions(cordon)).every(({ isWaitedFor }) => !isWaitedFor))
  const [question] = await questions(cordon)
  assert.ok(question)
  return question
}

for (const era of ['legacy', 'modern'] as const) {
  test(`a client of the ${era} era whose requests alternate between two kernels keeps its session, results and questions when one is killed`, async () => {
    await using postgres = await openPostgres()
    const environment = { DATABASE_URL: postgres.url }
    await using one = openCordon({ environment })
    await using two = openCordon({ environment })
    for (const cordon of [one, two]) {
      await startServers(cordon, { echo: ['echo'], sender: ['sender', 'api.example.com'] })
    }
    await one.ask(['client', 'add', 'claude', '--kind', 'claude-code'])
    const token = readFileSync(path.join(one.home, 'clients', 'claude.key'), 'utf8').trim()
    const balancer = new Balancer([await urlOf(one), await urlOf(two)])
    const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
      fetch: balancer.fetch,
    })
    const mode = era === 'modern' ? ({ pin: '2026-07-28' } as const) : 'legacy'
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(transport)

    // A result that one kernel kept is read at both, and handed to tools of both.
    const { text } = await say(client, 'echo__echo', { text: LONG })
    const [, id = ''] = /kept as (\S+) /.exec(text) ?? []
    for (const at of [1, 2, 3, 4]) {
      const read = await say(client, 'read_result', { id, path: `items.${at}.id` })
      assert.equal(read.text, String(at))
      const note = { $result: id, path: `items.${at}.note` }
      assert.equal(
        (await say(client, 'echo__echo', { text: note })).text,
        `number ${at} of a long list`,
      )
    }
    assert.ok(
      balancer.served.every((count) => count > 3),
      String(balancer.served),
    )

    // The question is left open at the kernel that is killed; the late yes is found at the other, once.
    const first = await callAndLeave(two, client, balancer)
    const { pid } = await one.ask<Output<'status'>>(['status'])
    process.kill(pid, 'SIGKILL')
    await two.ask(['approvals', 'approve', first.id, '--without-a-person'])
    const sent = await client.callTool(SEND)
    assert.deepEqual(sent.content, [{ type: 'text', text: 'sent to a' }])
    const again = await callAndLeave(two, client, balancer)
    assert.notEqual(again.id, first.id)
    const read = await say(client, 'read_result', { id, path: 'items.3999.id' })
    assert.equal(read.text, '3999')
    await client.close()
  })
}
