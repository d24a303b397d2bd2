import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drawPicture, pictureProtocol } from './draw-picture.ts'

const picture = (bytes: Buffer, mimeType = 'image/png') => ({
  mimeType,
  data: bytes.toString('base64'),
  bytes: bytes.length,
})
const HEAD = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const png = (length: number): Buffer => Buffer.concat([HEAD, Buffer.alloc(length, 7)])

const visible = (text = ''): string =>
  text.replaceAll('\u001b', '<ESC>').replaceAll('\u0007', '<BEL>')

test('only a terminal that names itself is sent a picture', () => {
  assert.equal(pictureProtocol({ TERM: 'xterm-kitty' }), 'kitty')
  assert.equal(pictureProtocol({ TERM: 'xterm-ghostty' }), 'kitty')
  assert.equal(pictureProtocol({ TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }), 'iterm')
  assert.equal(pictureProtocol({ TERM: 'tmux-256color', TERM_PROGRAM: 'iTerm.app' }), undefined)
  assert.equal(pictureProtocol({ TERM: 'xterm-256color' }), undefined)
  assert.equal(pictureProtocol({}), undefined)
})

test('a picture is sent whole, as base64, in pieces that kitty takes', () => {
  const drawn = visible(drawPicture(picture(png(5000)), 'kitty'))
  const pieces = [
    ...drawn.matchAll(/<ESC>_G(a=T,f=100,)?m=([01]);([A-Za-z0-9+/=]{1,4096})<ESC>\\/g),
  ]
  assert.equal(pieces.map(([whole]) => whole).join(''), drawn)
  assert.deepEqual(
    pieces.map(([, first, more]) => [first !== undefined, more]),
    [
      [true, '1'],
      [false, '0'],
    ],
  )
  assert.deepEqual(Buffer.from(pieces.map((one) => one[3]).join(''), 'base64'), png(5000))
  assert.match(
    visible(drawPicture(picture(png(9)), 'iterm')),
    /^<ESC>\]1337;File=inline=1;size=25:[\w+/=]+<BEL>$/,
  )
})

test('bytes that are no picture are never sent, whatever the server calls them', () => {
  const text = Buffer.from('\u001b]52;c;ZXZpbA==\u0007')
  for (const protocol of ['kitty', 'iterm'] as const) {
    assert.equal(drawPicture(picture(text), protocol), undefined)
    assert.equal(drawPicture(picture(Buffer.alloc(0)), protocol), undefined)
    assert.equal(drawPicture(picture(png(9 * 2 ** 20)), protocol), undefined)
  }
  const jpeg = Buffer.from('ffd8ffe000', 'hex')
  assert.equal(drawPicture(picture(jpeg), 'kitty'), undefined, 'kitty takes PNG alone')
  assert.ok(drawPicture(picture(jpeg), 'iterm'))
})
