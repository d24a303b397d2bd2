/**
 * Markdown of a model's answer as elements. Sanitised by DOMPurify under the one Trusted Types policy of the page; nothing
 * in it loads anything: a picture becomes its description, and a link shows its whole address beside its text.
 */
import DOMPurify from 'dompurify'
import { Marked } from 'marked'
import type { JSX } from 'preact'

const ALLOWED_TAGS =
  'p br strong em del code pre blockquote hr ul ol li table thead tbody tr th td h3 h4 h5 h6 a'.split(
    ' ',
  )

const marked = new Marked({
  async: false,
  gfm: true,
  renderer: {
    html: ({ text }) => escaped(text),
    image: ({ text, href }) => escaped(`[picture: ${text} ${href}]`),
    link: ({ href, text }) => {
      const shown = escaped(text)
      if (!/^https?:\/\//i.test(href)) return `${shown} (${escaped(href)})`
      const link = `<a href="${escaped(href)}">${escaped(href)}</a>`
      return text === href ? link : `${shown} (${link})`
    },
    heading: ({ text, depth }) =>
      `<h${Math.min(6, depth + 2)}>${escaped(text)}</h${Math.min(6, depth + 2)}>`,
  },
})

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') return
  node.setAttribute('target', '_blank')
  node.setAttribute('rel', 'noopener noreferrer')
})

interface Policies {
  createPolicy(
    name: string,
    rules: { createHTML(text: string): string },
  ): { createHTML(text: string): string }
}

/** The only place of the page that makes markup of text. */
const policy = (globalThis as { readonly trustedTypes?: Policies }).trustedTypes?.createPolicy(
  'cordon',
  {
    createHTML: (text) => text,
  },
)

export function Markdown({ text }: { readonly text: string }): JSX.Element {
  const clean = DOMPurify.sanitize(marked.parse(text) as string, {
    ALLOWED_TAGS,
    ALLOWED_ATTR: ['href'],
    ALLOW_DATA_ATTR: false,
  })
  // Preact assigns this to innerHTML, which takes a TrustedHTML only; its type knows strings alone.
  const __html = policy?.createHTML(clean) ?? clean
  return <div class="markdown" dangerouslySetInnerHTML={{ __html }} />
}
