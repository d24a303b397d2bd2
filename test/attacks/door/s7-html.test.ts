/**
 * HTML that somebody else wrote loses every remote reference, whatever it holds; the owner's markup around it stays. In the
 * control the argument is the owner's own, and the reference arrives.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rounds } from '../../../src/kernel/test-rounds.ts'
import { OWN_WORDS } from '../../../src/labels/label.ts'
import { Labelled } from '../../../src/labels/labelled.ts'
import { guardLinks } from '../../../src/policy/guard-links.ts'
import { assertLinear } from '../../../src/text/test-linear.ts'
import { type Args, NOTION, send, sentText, theirs } from './content-door.ts'

const mail = (html: Args[string]): Args => ({ to: 'ana@x.example', subject: 'Hi', html })
const sent = (html: Args[string]): Promise<string> =>
  sentText('html', send('resend.send-email', mail(html), { effect: 'write' }))

/** Each reference is one that no rule about links would find. */
const REFERENCES: Readonly<Record<string, string>> = {
  'a picture from an address without a scheme': '<img src="//203.0.113.5/p?d=x">',
  'a picture with a relative address': '<IMG SRC=p onerror=x>',
  'a link': '<a href="p">x</a>',
  'a tag without spaces': '<a/href=p>x</a>',
  'a set of pictures': '<img srcset="p 1x">',
  'a background': '<td background=p>x</td>',
  'a form': '<form action=p><button formaction=p>x</button></form>',
  'a video': '<video poster=p><source src=p></video>',
  'an object': '<object data=p></object>',
  'a picture in SVG': '<svg><image xlink:href=p /></svg>',
  'a ping': '<a ping=p>x</a>',
  'a style with url()': '<div style="background:url(p)">x</div>',
  'a style with an escape': '<div style="background:u\\72l(p)">x</div>',
  'a style with a character reference': '<div style="background:&#117;rl(p)">x</div>',
  'an imported style sheet': '<style>@import "p";</style>',
  'a linked style sheet': '<link rel=stylesheet href=p>',
  'a refresh': '<meta http-equiv=refresh content="0;url=p">',
  'a base': '<base href=p>',
  'a script': '<script src=p></script>',
  'a frame with its own document': '<iframe srcdoc="<img src=p>"></iframe>',
  'a comment that some mail programs read': '<!--[if mso]><img src=p><![endif]-->',
  'a tag that the document never ends': 'x <img src=p ',
  'a comment that the document never ends': 'x <!-- <img src=p>',
  'a tag after half a tag': '<<img src=p>',
  'a picture behind a quote': `<img alt='">' src=p>`,
  'an element nobody knows': '<x-frame src=p>',
}
/** Nothing of a tag with any attribute but the harmless ones is left. */
const ACTIVE =
  /<[a-z!][^>]*(?:src|href|action|background|poster|data|ping|style|url|import|srcdoc)/i

for (const [what, html] of Object.entries(REFERENCES)) {
  test(`S7: ${what} is taken out of their HTML`, async () => {
    const safe = await sent(theirs(`<p>Hello</p>${html}`))
    assert.doesNotMatch(safe, ACTIVE, safe)
    assert.ok(safe.startsWith('<p>Hello</p>'))
    assert.equal(await sent(html), html, 'the owner’s own arrives')
  })
}

test('S7: harmless markup of theirs stays', async () => {
  const html = '<h1>A</h1><p style="color:red" align="left">B <b>c</b><br>1 < 2 &amp; 3</p>'
  assert.equal(await sent(theirs(html)), html)
})

test('S7: the owner’s markup around their words stays byte for byte', async () => {
  const before = '<p><a href="https://mine.example/x">mine</a> '
  const after = '</p><img src="https://mine.example/logo.png">'
  const html = (piece: string): Labelled => Labelled.text([before, theirs(piece), after], OWN_WORDS)
  assert.equal(await sent(html('<img src=p>hello')), `${before}<img>hello${after}`)
  // An attribute or comment of theirs that would swallow the owner's markup becomes text.
  assert.equal(await sent(html('<a title="')), `${before}&lt;a title=&quot;${after}`)
  assert.equal(await sent(html('<!-- ')), `${before}&lt;!-- ${after}`)
})

test('S7: their words inside the owner’s attribute or style sheet cannot break out', async () => {
  const inside = (before: string, piece: string, after: string): Labelled =>
    Labelled.text([before, theirs(piece), after], OWN_WORDS)
  assert.equal(await sent(inside('<img alt="', '" src="p', '">')), '<img alt="">')
  assert.equal(
    await sent(inside('<style>p{}', '</style><img src=p>} @import "p"', '</style><p>k</p>')),
    '<style>p{}</style><p>k</p>',
  )
})

test('S7: a stranger’s argument that is called html, or said to be, is HTML', async () => {
  const args = { body_html: theirs('<img src=p>hi') }
  const { args: reached } = await send('stranger.publish', args, { effect: 'write' })
  assert.equal(reached?.['body_html'], '<img>hi')
})

test('S7: in a text that may be Markdown a tag loses its references, and the rest stays', async () => {
  const body = theirs(
    'a <b>b</b> 1 < 2 <img alt="x" src="p"> <https://evil.com> ```<T extends U>```',
  )
  const { args } = await send('linear.linear_createComment', { body }, { effect: 'write' })
  const safe = 'a <b>b</b> 1 < 2 <img alt="x"> <hxxps://evil[.]com> ```<T extends U>```'
  assert.equal(args?.['body'], safe)
})

test('S7: a tag that only Markdown sees loses its references, too', async () => {
  const hidden = [
    'x <!-- \n\n<img src=p> -->',
    '<b title="\n\n<img src=p>">',
    '<b title=x\u00a0y="><img src=p>">',
    'x <b title="\n\n<img src=p>',
  ]
  for (const text of hidden) {
    const sending = send('linear.linear_createComment', { body: theirs(text) }, { effect: 'write' })
    assert.doesNotMatch(await sentText('body', sending), /<img[^>]*src/, text)
  }
})

test('S7: hostile HTML is read in linear time, however deep', () => {
  const pieces = [
    '<',
    '<a ',
    '<a b="',
    '<a b=\'"',
    '<!--',
    '<script>',
    '<style></',
    '</',
    '<div>',
    '<b c=<',
  ]
  assertLinear(pieces, rounds(1_000_000, 65_536), (text) => {
    const half = { start: 0, end: text.length - 8, label: NOTION }
    const options = { words: '', isHtml: true }
    guardLinks(text, { label: NOTION }, options)
    guardLinks(`${text}">-->`, { label: OWN_WORDS, spans: [half] }, options)
    guardLinks(text, { label: NOTION }, { words: '' })
  })
})
