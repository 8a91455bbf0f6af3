// Runs inside the page: what only a browser knows of how a poll is shown.
globalThis.poll = (() => {
  const LINEAR = Array.from({ length: 256 }, (_, i) => {
    const part = i / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  const root = () => document.querySelector('#host').shadowRoot
  const option = (choice) => root().querySelector(`[data-option="${choice}"]`)
  const boxOf = (element) => {
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect()
    return { left: left + scrollX, top: top + scrollY, right: right + scrollX, bottom: bottom + scrollY, width, height }
  }

  /** Points of a button at which a press would go elsewhere. */
  function coveredPoints(button) {
    button.scrollIntoView({ block: 'center', inline: 'center' })
    const { left, top, width, height } = button.getBoundingClientRect()
    const points = [
      [0.5, 0.5],
      [0.15, 0.25],
      [0.85, 0.25],
      [0.15, 0.75],
      [0.85, 0.75],
    ]
    return points.filter(([x, y]) => {
      const hit = root().elementFromPoint(left + x * width, top + y * height)
      return hit === null || !(hit === button || button.contains(hit))
    }).length
  }

  function glyphBoxes(words) {
    const range = document.createRange()
    range.selectNodeContents(words)
    return [...range.getClientRects()].map(({ left, top, right, bottom }) => ({
      left: left + scrollX,
      top: top + scrollY,
      right: right + scrollX,
      bottom: bottom + scrollY,
    }))
  }

  const MANGLED = { '-webkit-text-security': 'none', 'unicode-bidi': 'plaintext', transform: 'none', scale: 'none' }

  function measure(choice) {
    const button = option(choice)
    const covered = coveredPoints(button)
    scrollTo(0, 0)
    const words = button.querySelector('.words')
    const picture = button.querySelector('.picture')
    const style = getComputedStyle(words)
    return {
      covered,
      box: boxOf(button),
      words: boxOf(words),
      glyphs: glyphBoxes(words),
      fontSize: Number.parseFloat(style.fontSize),
      text: words.textContent,
      isMangled: Object.entries(MANGLED).some(([name, value]) => style.getPropertyValue(name) !== value),
      picture: picture && boxOf(picture),
      page: { width: document.documentElement.clientWidth, height: document.documentElement.scrollHeight },
    }
  }

  /** What is shown of a result: how long its bar is, and its fill, and which choice is marked. */
  function result(choice) {
    const button = option(choice)
    const [bar, fill, mark, figure] = ['.bar', '.fill', '.mark', '.figure'].map((part) => button.querySelector(part))
    if (!bar) return null
    const { strokeLinecap, strokeDasharray } = getComputedStyle(fill)
    const scale = boxOf(bar).width / Number.parseFloat(getComputedStyle(bar).width)
    return {
      length: boxOf(bar).width,
      filled: (100 * boxOf(fill).width) / (bar.clientWidth * scale),
      isLonger: strokeLinecap !== 'butt' || strokeDasharray !== 'none',
      share: Number.parseInt(figure.textContent, 10),
      figure: boxOf(figure),
      isMarked: mark !== null && getComputedStyle(mark).visibility === 'visible' && boxOf(mark).width > 0,
      isChosen: button.getAttribute('aria-pressed') === 'true',
    }
  }

  return {
    measure: () => [measure('A'), measure('B')],
    results: () => [result('A'), result('B')],

    /** Takes the words, or the pictures, away: a style of the element itself is stronger than any layer. */
    hide(selector, isHidden) {
      for (const element of root().querySelectorAll(selector)) {
        if (isHidden) element.style.setProperty('visibility', 'hidden', 'important')
        else element.style.removeProperty('visibility')
      }
    },

    pageSize() {
      const parts = [document.body, document.documentElement]
      const most = (side) => Math.max(...parts.flatMap((part) => [part[`scroll${side}`], part[`offset${side}`]]))
      const [width, height] = [most('Width'), most('Height')]
      return { width, height, isBeyondView: width > innerWidth || height > innerHeight }
    },

    focused: () => root().activeElement?.dataset.option ?? null,

    blur: () => root().activeElement?.blur(),

    /** When what moves has come to rest. */
    async computed(selector, property) {
      const element = root().querySelector(selector)
      await Promise.all(element.getAnimations().map(({ finished }) => finished))
      return getComputedStyle(element).getPropertyValue(property)
    },

    /** In how many pixels of a box two screenshots differ, by at least that contrast. */
    async differences(shots, pairs) {
      const pixels = await Promise.all(shots.map(pixelsOf))
      return pairs.map(({ left, right, box, ratio }) => differing(pixels[left], pixels[right], { box, ratio }))
    },
  }

  function differing(left, right, { box, ratio }) {
    let count = 0
    for (let y = Math.max(0, Math.floor(box.top)); y < Math.min(box.bottom, left.height); y++) {
      for (let x = Math.max(0, Math.floor(box.left)); x < Math.min(box.right, left.width); x++) {
        if (contrast(luminance(left, x, y), luminance(right, x, y)) >= ratio) count++
      }
    }
    return count
  }

  async function pixelsOf(base64) {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.fromBase64(base64)], { type: 'image/png' }))
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height)
    const context = canvas.getContext('2d', { willReadFrequently: true })
    context.drawImage(bitmap, 0, 0)
    return context.getImageData(0, 0, bitmap.width, bitmap.height)
  }

  function luminance({ data, width }, x, y) {
    const at = 4 * (y * width + x)
    return 0.2126 * LINEAR[data[at]] + 0.7152 * LINEAR[data[at + 1]] + 0.0722 * LINEAR[data[at + 2]]
  }

  function contrast(one, other) {
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
  }
})()
