/** The audit screen in a real Chromium: a long list, one record's place in the chain, and an export. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Input, Output } from '../../src/api/contract.ts'
import type { AuditRecord, RecordProof } from '../../src/kernel/audit-record.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { becomes, until } from '../fixtures/until.ts'
import { launchChromium, openPage } from './open-page.ts'
import { openScreen, settled } from './visit-screens.ts'

const COUNT = 10_000

function record(seq: number): AuditRecord {
  return {
    seq,
    at: '2030-01-01T00:00:00.000Z',
    kind: 'call.begin',
    principal: OWNER.id,
    subject: `notion.tool-${seq}`,
    prev: String(seq - 1).padStart(64, '0'),
    hash: String(seq).padStart(64, '0'),
  }
}

/** The records of a log of this length, as the kernel finds them. */
async function search(
  count: number,
  { text = '', before = Infinity, limit }: Input<'audit.search'>,
): Promise<Output<'audit.search'>> {
  const all = Array.from({ length: count }, (_, at) => record(at + 1))
  const found = all.filter(({ seq, subject = '' }) => seq < before && subject.includes(text))
  return { records: found.slice(-limit) }
}

function proof(seq: number): RecordProof {
  const own = record(seq)
  return { record: own, computed: own.hash, before: own.prev, after: own.hash }
}

const list = (page: Page) => page.getByRole('list', { name: 'Records' })
const drawn = (page: Page) => list(page).getByRole('listitem').count()

describe('the audit screen', () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser.close())

  test('reads 10,000 records page by page, and draws only those near the screen', async (t) => {
    const { page, web } = await openPage(browser, t, {
      'audit.search': async (query) => await search(COUNT, query),
    })
    await page.goto(web.createLink().url)
    await openScreen(page, '#/audit')
    const older = page.getByRole('button', { name: 'Show older records' })
    for (const read of [500, 2500, 4500, 6500, 8500]) {
      await page.getByText(`${read} records, the newest first`).waitFor()
      await older.click()
    }
    await page.getByText(`${COUNT} records, the newest first`).waitFor()
    await older.waitFor({ state: 'detached' })
    assert.ok((await drawn(page)) < 300)
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    await list(page).getByText('notion.tool-1', { exact: true }).waitFor()
    assert.ok((await drawn(page)) < 300)
    await page.evaluate('scrollTo(0, document.body.scrollHeight / 2)')
    await list(page)
      .getByText(/notion\.tool-50\d\d/)
      .first()
      .waitFor()
  })

  test('keeps the records that were read when a new one arrives', async (t) => {
    let count = 600
    let tell: (() => void) | undefined
    const { page, web } = await openPage(browser, t, {
      'audit.search': async (query) => await search(count, query),
      'events.follow': async ({ after: seen }) => {
        if (seen !== undefined) await new Promise<void>((resolve) => (tell = resolve))
        const events = seen === undefined ? [] : [{ kind: 'call.begin' as const }]
        return { boot: '1', after: (seen ?? 0) + 1, notices: 1, traffic: 1, events }
      },
    })
    await page.goto(web.createLink().url)
    await openScreen(page, '#/audit')
    await page.getByRole('button', { name: 'Show older records' }).click()
    await page.getByText('600 records, the newest first').waitFor()
    await until(() => tell !== undefined)
    count += 1
    tell?.()
    await page.getByText('601 records, the newest first').waitFor()
    await list(page).getByText('notion.tool-601').waitFor()
  })

  test('shows the answer to what was typed last, not one that came late', async (t) => {
    let release: (() => void) | undefined
    const { page, web } = await openPage(browser, t, {
      'audit.search': async (query) => {
        if (query.text === 'tool-1') await new Promise<void>((resolve) => (release = resolve))
        return await search(30, query)
      },
    })
    await page.goto(web.createLink().url)
    await openScreen(page, '#/audit')
    const asking = page.waitForRequest((sent) => sent.postData()?.includes('"tool-1"') === true)
    await page.getByLabel('Search').fill('tool-1')
    await asking
    await page.getByLabel('Search').fill('tool-22')
    await page.getByText('1 record, the newest first').waitFor()
    const answered = page.waitForResponse(
      (response) => response.request().postData()?.includes('"tool-1"') === true,
    )
    await until(() => release !== undefined)
    release?.()
    await (await answered).finished()
    await settled(page)
    await page.getByText('1 record, the newest first').waitFor()
    assert.equal(await drawn(page), 1)
  })

  test('proves one record, and leads to its neighbours and back to the same place', async (t) => {
    const broken = { ...proof(8), computed: 'a'.repeat(64), problem: 'was altered' }
    const { page, web } = await openPage(browser, t, {
      'audit.search': async (query) => await search(30, query),
      'audit.prove': async ({ seq }) => (seq === 8 ? broken : proof(seq)),
    })
    await page.goto(web.createLink().url)
    await openScreen(page, '#/audit')
    await list(page).getByText('notion.tool-9', { exact: true }).click()
    const sheet = page.getByRole('dialog', { name: 'Record 9' })
    await sheet.getByText('Whole').waitFor()
    await sheet.getByText('"subject": "notion.tool-9"').waitFor()
    assert.equal(await sheet.getByText(record(9).prev).count(), 3) // both ends of the tie, and the record
    assert.equal(await sheet.getByText('✗').count(), 0)
    await sheet.getByRole('link', { name: 'Record 8' }).click()
    const other = page.getByRole('dialog', { name: 'Record 8' })
    await other.getByText('Record 8 was altered.').waitFor()
    assert.equal(await other.getByText('✗').count(), 1)
    await page.keyboard.press('Escape')
    await other.waitFor({ state: 'detached' })
    await page.waitForURL(/#\/audit$/)
  })

  test('exports what was read, oldest first, one record a line', async (t) => {
    const { page, web } = await openPage(browser, t, {
      'audit.search': async (query) => await search(30, query),
    })
    await page.goto(web.createLink().url)
    await openScreen(page, '#/audit')
    await page.getByText('30 records').waitFor()
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as JSON lines' }).click()
    const saved = await saving
    assert.equal(saved.suggestedFilename(), 'cordon-audit.jsonl')
    const lines = (await readFile(await saved.path(), 'utf8')).trimEnd().split('\n')
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as AuditRecord).seq),
      Array.from({ length: 30 }, (_, at) => at + 1),
    )
    await becomes(() => page.getByText('Saved 30 records.').count(), 1)
  })
})
