/** A flow on the page with the real kernel and sandboxed servers: written, saved, run, asked about, and looked at again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFlowCordon } from '../fixtures/flow-cordon.ts'
import { launchChromium, PATIENCE_MS, shows } from './open-page.ts'

const FLOW = `mcp-github-get-repo as r --repo cordon
>> mcp-slack-send-message as tell --channel dev --message "\${r.result}!"`

test('a flow is drawn, saved, run and approved on the page, and is the one that the command line sees', async () => {
  await using cordon = await openFlowCordon()
  const { url } = await cordon.ask<{ readonly url: string }>(['open'])
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    const refused: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') refused.push(message.text())
    })
    await page.goto(url)
    await page.getByRole('link', { name: 'Flows' }).click()
    await page.getByRole('link', { name: '+ New flow' }).click()
    await page.getByLabel('The flow as text').fill(FLOW)
    await page.getByRole('button', { name: /^r: mcp-github-get-repo: .*only reads/ }).waitFor()
    await page.getByRole('button', { name: /^tell: .*asks you/ }).waitFor()
    await page.getByLabel('Name').fill('digest')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'digest', level: 1 }).waitFor()
    assert.match(await cordon.says(['flow', 'list']), /^digest /)

    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('button', { name: /^r: .*done/ }).waitFor()
    await page.getByRole('button', { name: 'Yes, once' }).click()
    await page.getByRole('button', { name: /^tell: .*done/ }).waitFor()
    await shows(page, 'completed')
    await page.getByRole('button', { name: /^r: / }).click()
    await shows(page, 'cordon has 3 files')
    assert.match(await cordon.says(['flow', 'runs']), /completed .* digest/)
    assert.deepEqual(refused, [])
  } finally {
    await browser.close()
  }
})
