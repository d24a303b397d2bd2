import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../kernel/error.ts'
import { type CatalogDeps, catalogRoutes } from './catalog.ts'

test('a token that was typed in place of a name is not repeated', async () => {
  const token = 'ghp_8fJ2kLq0ZrT5vXw3yAbCdEfGh1234567890'
  const catalog = { services: [], find: () => undefined, suggest: () => ['github'] }
  const { 'catalog.show': show } = catalogRoutes({ catalog } as unknown as CatalogDeps)
  await assert.rejects(
    show.handle({ service: token }, new AbortController().signal),
    (error: unknown) => {
      assert.ok(error instanceof CordonError)
      assert.match(error.hint, /github/)
      assert.ok(!`${error.message} ${error.hint}`.includes(token.slice(0, 12)))
      return true
    },
  )
})
