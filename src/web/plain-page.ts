/** A page without scripts of its own, in the look of the page: one card with a heading. Escapes every value. */
import { html } from 'hono/html'

type Markup = ReturnType<typeof html>

export function plainPage(title: string, body: Markup, head: Markup | '' = ''): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Cordon</title>
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/style.css" />
        ${head}
      </head>
      <body>
        <main class="welcome">
          <p class="brand"><img src="/icon.svg" alt="" width="28" height="28" />Cordon</p>
          <section class="card">${body}</section>
        </main>
      </body>
    </html>`
}
