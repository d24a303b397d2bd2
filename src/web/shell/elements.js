/** Small builders of elements. Text becomes text nodes, never markup, whoever wrote it. */

/** @typedef {Node | string | false | undefined} Part a part that is absent is left out */

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {string} className @param {...Part} parts
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, className, ...parts) {
  const element = document.createElement(tag)
  if (className) element.className = className
  element.append(...present(parts))
  return element
}

/** @param {Part[]} parts */
export function present(parts) {
  return parts.filter((part) => part !== false && part !== undefined)
}

/** @param {string} title @param {...Part} parts */
export function card(title, ...parts) {
  return el('section', 'card', el('h2', '', title), ...parts)
}

/** @param {string} name @param {...Part} values */
export function fact(name, ...values) {
  return el('div', '', el('dt', '', name), el('dd', '', ...values))
}

/** @param {string} text @param {string} tone */
export function badge(text, tone) {
  return el('span', `badge ${tone}`, text)
}

/** @param {readonly string[]} texts */
export function warnings(texts) {
  return texts.length > 0 && el('ul', 'warnings', ...texts.map((text) => el('li', '', text)))
}

/** A paragraph in which text between backticks is shown as code. @param {string} text */
export function prose(text) {
  const parts = text.split('`').map((part, i) => (i % 2 === 1 ? el('code', '', part) : part))
  return el('p', '', ...parts)
}

/** @param {number} n @param {string} noun */
export function count(n, noun) {
  return `${n === 0 ? 'no' : n} ${noun}${n === 1 ? '' : 's'}`
}
