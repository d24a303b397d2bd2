/** Statements that only a log which several kernels share needs: the question of a held run, and the reply to it. */
import type { Sql } from 'postgres'
import { sendMessage } from './kernel-messages.ts'
import { SCHEMA } from './migrate-runs.ts'
import type { SharedLog } from './run-log.ts'

export function sharing(sql: Sql): Omit<SharedLog, 'onMessage'> {
  const runs = sql(`${SCHEMA}.run`)
  return {
    async asks({ run, holder }, asks) {
      await sql`UPDATE ${runs} SET asks = ${asks} WHERE number = ${run} AND holder = ${holder}`
    },
    async reply(id, reply) {
      const rows = await sql`
        UPDATE ${runs} SET reply = ${reply}
        WHERE id = ${id} AND state = 'running' AND asks IS NOT NULL AND holder IS NOT NULL RETURNING 1`
      if (rows.length > 0) await sendMessage(sql, { kind: 'replied', run: id })
      return rows.length > 0
    },
    async takeReply({ run, holder }) {
      const [row] = await sql<{ reply: string }[]>`
        WITH given AS (SELECT number, reply FROM ${runs}
          WHERE number = ${run} AND holder = ${holder} AND reply IS NOT NULL FOR UPDATE)
        UPDATE ${runs} AS run SET reply = NULL FROM given WHERE run.number = given.number
        RETURNING given.reply`
      return row?.reply
    },
    send: (message) => sendMessage(sql, message),
  }
}
