/** Attacks that a stylesheet could try if the parser refused nothing. */
export const hostileSheets: Readonly<Record<string, string>> = {
  // Hide
  'no display': '.option-b { display: none !important }',
  'no display of its parent': '.choice + .choice, .options { display: none !important }',
  'no display of the root': '.tossup, .poll { display: none !important }',
  'no box':
    '.tossup, .poll, .options, .choice, .option, .label, .words { display: contents !important; content-visibility: hidden !important }',
  'no visibility': '.option-b, .option-b * { visibility: hidden !important }',
  'no visibility by collapse': '.choice + .choice { visibility: collapse !important }',
  'no opacity': '.option-b { opacity: 0 !important }',
  'no opacity of the words': '.option-b .words { opacity: 0 !important }',
  'no opacity by our own name': '.option-b { --tossup-opacity: 0 !important }',
  'no opacity of what is around': '.tossup { opacity: 0 !important } .poll { opacity: .01 !important }',
  'a filter': '.option-b { filter: opacity(0) !important } .options { filter: brightness(0) !important }',
  'a filter by our own name': '.option-b { --tossup-brightness: 0 !important }',
  'a blur': '.words { filter: blur(40px) !important } .option-b { filter: blur(40px) !important }',
  'a clip path': '.option-b { clip-path: circle(0) !important }',
  'a clip path around': '.poll { clip-path: inset(50%) !important } .tossup { clip-path: inset(50%) !important }',
  'an old clip': '.option-b { position: absolute !important; clip: rect(0 0 0 0) !important }',
  'a mask': '.option-b { mask: linear-gradient(transparent, transparent) !important }',
  'a mask of the words': '.words { -webkit-mask-image: linear-gradient(transparent, transparent) !important }',
  'content-visibility': '.option-b, .choice + .choice { content-visibility: hidden !important }',
  'no size':
    '.option-b { width: 0 !important; height: 0 !important; min-height: 0 !important; padding: 0 !important; overflow: hidden !important }',
  'no height': '.options { height: 0 !important; overflow: hidden !important }',
  'no greatest height': '.poll { max-height: 20px !important; overflow: hidden !important }',
  'no width of a column': '.options { grid-template-columns: 1fr 0 !important; overflow: hidden !important }',
  'no width of the poll': '.poll { width: 0 !important; max-width: 0 !important; overflow: hidden !important }',
  'no width by our own names':
    '.poll { --tossup-max-width: 0px !important } .options { --tossup-choice-width: 0px !important }',
  'scaled to nothing': '.option-b { transform: scale(0) !important } .label { scale: 0 !important }',
  'scaled to nothing by our own name': '.option-b { --tossup-scale: 0 !important; --tossup-rotate: 90deg !important }',
  'turned away': '.option-b { transform: rotateY(90deg) !important; backface-visibility: hidden !important }',
  'zoomed out': '.option-b { zoom: .01 !important } .words { zoom: .1 !important } .tossup { zoom: .05 !important }',
  'strict containment': '.poll, .options, .option-b { contain: strict !important; container-type: size !important }',
  inert: '.option-b, .options { interactivity: inert !important; pointer-events: none !important }',
  'no pointer': '.option-b, .option-b * { pointer-events: none !important }',
  'gone by animation':
    '@keyframes gone { from, to { visibility: hidden; opacity: 0; transform: translateX(-9999px) } } .option-b, .option-b .words { animation: gone 1s infinite !important }',
  'gone by a slow transition':
    '.option-b, .words { transition: all 9999s 9999s !important; opacity: 0 !important } @starting-style { .option-b { opacity: 0 !important } }',
  'gone in our colour':
    '.tossup { --tossup-text: transparent !important; --tossup-card: #fff !important; --tossup-line: #fff !important; color: transparent !important }',

  // Move away and swap
  'off the page': '.option-b { position: absolute !important; left: -9999px !important }',
  'off the page by a margin':
    '.option-b { margin-left: -9999px !important } .options { margin-top: -9999px !important }',
  'off the page by a margin of ours':
    '.option-b { --tossup-margin-left: -9999px !important; --tossup-margin-top: 9999px !important }',
  'off the page with the page': '.tossup, .poll { position: fixed !important; top: -9999px !important }',
  'off the page by translation':
    '.option-b { translate: -9999px 0 !important; --tossup-translate-x: -9999px !important }',
  'off the page along a path': '.option-b { offset-path: path("M -9999 0 L 0 0") !important }',
  'off the page by a gap':
    '.options { gap: 9999px !important; column-gap: 9999px !important } .poll { row-gap: 9999px !important }',
  'off the page by a gap of ours':
    '.poll, .options { --tossup-row-gap: 9999px !important; --tossup-column-gap: 9999px !important }',
  'pushed down':
    '.title, .brand { height: 9000px !important; min-height: 9000px !important; margin: 9000px 0 !important; padding: 9000px 0 !important; border-top: 9000px solid !important }',
  'pushed down by what is generated':
    '.poll::before, .options::before { content: "" !important; display: block !important; height: 9000px !important }',
  'pushed down within':
    '.option-b { padding-top: 4000px !important; border-top: 4000px solid !important; --tossup-padding-top: 4000px !important }',
  'pushed aside within':
    '.option-b { padding-left: 4000px !important; text-indent: 4000px !important } .option-b .label { padding-left: 4000px !important; margin-left: 4000px !important }',
  'pulled up over the edge':
    '.title { margin-bottom: -9999px !important } .brand { margin-bottom: -9999px !important }',
  'swapped by order': '.choice:first-child { order: 2 !important } .option-a { order: 2 !important }',
  'swapped by a reversed row': '.options { display: flex !important; flex-direction: row-reverse !important }',
  'swapped by direction': '.options { direction: rtl !important } .tossup { direction: rtl !important }',
  'swapped by placement':
    '.choice:first-child { grid-area: 1 / 2 !important } .choice + .choice { grid-area: 1 / 1 !important }',
  'swapped by named areas':
    '.options { grid-template-areas: "b a" !important } .choice:first-child { grid-area: a !important } .choice + .choice { grid-area: b !important }',
  'swapped by floats':
    '.options { display: block !important } .choice:first-child { float: right !important } .choice { width: 50% !important }',
  'swapped by offsets':
    '.option-a { position: relative !important; left: 200px !important } .option-b { position: relative !important; left: -200px !important }',
  'swapped by translation':
    '.option-a { transform: translateX(110%) !important } .option-b { transform: translateX(-110%) !important }',
  'swapped by margins':
    '.choice:first-child { margin-left: 50% !important } .choice + .choice { margin-left: -100% !important }',
  'swapped by a turn': '.options { transform: rotate(180deg) !important }',
  'swapped by writing mode': '.options { writing-mode: vertical-rl !important; direction: rtl !important }',
  'swapped by the order of the keys':
    '.options { reading-flow: grid-rows !important } .choice:first-child { reading-order: 5 !important }',
  'one upon the other':
    '.choice { grid-area: 1 / 1 !important } .option { position: absolute !important; inset: 0 !important }',

  // Cover
  'covered by the title':
    '.title { position: absolute !important; inset: 0 !important; z-index: 2147483647 !important; background: #fff !important; height: 700px !important }',
  'covered by the foot':
    '.foot { position: fixed !important; inset: 0 !important; z-index: 2147483647 !important; background: #fff !important }',
  'covered by what is generated':
    '.poll::after { content: "" !important; position: fixed !important; inset: 0 !important; z-index: 2147483647 !important; background: #fff !important }',
  'covered by what the root generates':
    '.tossup::before, .options::after { content: "" !important; position: absolute !important; inset: 0 !important; z-index: 99 !important; background: #fff !important }',
  'covered from within':
    '.option-b::before, .option-b::after { content: "" !important; position: absolute !important; inset: -5px !important; z-index: 9999 !important; background: #fff !important }',
  'covered by the words of a stranger':
    '.option-b .label::after, .option-b .words::after { content: "Now" !important; position: absolute !important; inset: 0 !important; background: #fff !important }',
  'covered by the shadow of the other':
    '.option-a, .option-a * { box-shadow: 0 0 0 9999px #fff !important } .option-b { z-index: -1 !important } .choice:first-child { z-index: 9 !important }',
  'covered by a shadow':
    '.option-b { box-shadow: 0 0 0 9999px #fff !important } .foot { box-shadow: 0 0 0 9999px #fff !important; z-index: 9 !important }',
  'covered by an outline':
    '.option-b { outline: 400px solid #fff !important; outline-offset: -400px !important } .words, .label { outline: 400px solid #fff !important; outline-offset: -300px !important }',
  'covered by the outline of the poll':
    '.poll, .options, .choice { outline: 900px solid #fff !important; outline-offset: -900px !important }',
  'covered by a border image':
    '.poll { border-image: linear-gradient(#fff, #fff) 1 fill / 0 / 500px !important } .words { border-image: linear-gradient(#fff, #fff) 1 fill / 0 / 500px !important }',
  'covered by the neighbour':
    '.option-a { width: 300% !important; z-index: 99 !important; position: relative !important; background: #fff !important }',
  'covered by the neighbour grown large':
    '.option-a { transform: scale(9) !important; --tossup-scale: 9 !important } .choice:first-child { z-index: 99 !important }',
  'washed out by a blend': '.options, .option-b { mix-blend-mode: lighten !important; background: #fff !important }',

  // Remove the name
  'letters without a colour':
    '.words { color: transparent !important; -webkit-text-fill-color: transparent !important }',
  'letters in the colour of their ground':
    '.option { background: #fff !important } .option .label, .option .words { color: #fff !important; background: #fff !important }',
  'letters in the grey of their ground':
    '.option { background: #808080 !important } .words { color: #808080 !important }',
  'letters in the blue of their ground':
    '.option, .label { background: #1d4ed8 !important; color: #1d4ed8 !important }',
  'letters of no size': '.option, .label, .words { font-size: 0 !important }',
  'letters of no size by their adjustment':
    '.words, .label { font-size-adjust: 0 !important; font-size: 1px !important; line-height: 0 !important }',
  'letters of no size on a first line':
    '.words::first-line, .label::first-line, .option::first-line { font-size: 0 !important; color: transparent !important }',
  'letters of no size at the start': '.words::first-letter, .label::first-letter { font-size: 0 !important }',
  'letters upon each other':
    '.words { letter-spacing: -2em !important; word-spacing: -9em !important; --tossup-letter-spacing: -2em !important }',
  'letters far apart': '.words { letter-spacing: 900px !important; --tossup-letter-spacing: 900px !important }',
  'letters as dots': '.words { -webkit-text-security: disc !important }',
  'letters under a stroke': '.words { -webkit-text-stroke: 30px #fff !important; paint-order: normal !important }',
  'letters struck through': '.label, .words { text-decoration: line-through 2em solid #fff !important }',
  'letters under their shadow': '.words { text-shadow: 0 0 0 #fff !important; color: #fff !important }',
  'letters behind': '.label, .words { z-index: -1 !important } .option { background: #fff !important }',
  'letters moved out':
    '.words { text-indent: -9999px !important; overflow: hidden !important; white-space: nowrap !important }',
  'letters cut off':
    '.words { max-height: 0 !important; overflow: hidden !important; -webkit-line-clamp: 0 !important }',
  'letters backwards':
    '.words { unicode-bidi: bidi-override !important; direction: rtl !important; transform: scaleX(-1) !important }',
  'a label replaced': '.words { content: linear-gradient(#fff, #fff) !important } .label { content: "x" !important }',
  'a label undone': '.label, .words { all: unset !important; display: none !important }',
  'a label far off': '.label { position: absolute !important; top: -999px !important; left: 999px !important }',

  // Remove the focus
  'no ring': '.option, .option:focus, .option:focus-visible { outline: none !important; box-shadow: none !important }',
  'a ring that never comes':
    '.option, .option:focus-visible { transition: all 9999s !important; outline: 0 solid transparent !important }',
  'a ring cut off':
    '.choice, .options, .poll { overflow: hidden !important; contain: paint !important; clip-path: inset(0) !important } .tossup { padding: 0 !important }',

  'a ring painted over by what is generated':
    '.option::before, .option::after { content: "" !important; position: absolute !important; inset: -20px !important; background: #fff !important }',
  'a ring painted over from within':
    '.option * { box-shadow: 0 0 0 99px #fff !important; position: relative !important; background: #fff !important; z-index: 9 !important }',
  'a ring undone':
    '.ring, .option:focus-visible .ring { all: unset !important; display: none !important; opacity: 0 !important; inset: 50% !important; clip-path: inset(50%) !important; border-radius: 9999px !important }',

  // Make the poll so long that an option is out of view
  'pushed down by every measure':
    '* { padding: 1e9px !important; margin: 1e9px !important; border: 1e9px solid !important; gap: 1e9px !important; height: 1e9px !important; min-height: 1e9px !important }',
  'pushed down by every measure of ours':
    '* { --tossup-padding-top: 1e9px !important; --tossup-padding-bottom: 1e9px !important; --tossup-margin-top: 1e9px !important; --tossup-margin-bottom: 1e9px !important; --tossup-border-top-width: 1e9px !important; --tossup-row-gap: 1e9px !important; --tossup-min-height: 1e9px !important; border-style: solid !important }',
  'pushed down by parts without boxes': '.tossup * { display: contents !important; font-size: 500px !important }',
  'pushed down by letters':
    '.brand, .title, .foot, .status, .watermark { display: contents !important; font-size: 1e6px !important; letter-spacing: 900px !important; line-height: 900 !important }',
  'pushed down by the words of a result': 'span { padding-top: 1e9px !important; margin-bottom: 1e9px !important }',
  'pushed down by rows':
    '.title { grid-row: 9999 !important } .foot { grid-row: span 9999 !important } .choice { grid-row: 900 !important }',
  'a page made long':
    '.status, .title { position: absolute !important; top: 1e9px !important } .brand { position: fixed !important; top: 1e9px !important }',

  'blurred from in front':
    '.tossup * { backdrop-filter: contrast(0) brightness(9) !important } .ring, .result, .mark { position: absolute !important; inset: 0 !important; z-index: 99 !important; height: 100% !important; max-height: none !important }',

  // Bypass the layers
  'out of the layer': '} .option-b { display: none !important } .words { font-size: 0 !important } @layer x {',
  'a layer of its own': '@layer tossup.integrity { .option-b { display: none !important } }',
  'another order': '} @layer tossup.brand, tossup.integrity; @layer x {',
  'a scope': '@scope (.tossup) { :scope, .option-b { display: none !important } }',
  'more weight':
    '.tossup.tossup.tossup#x, .tossup.tossup .option-b.option-b.option-b.option-b { opacity: 0 !important; display: none !important }',
  'properties registered again':
    '@property --tossup-scale { syntax: "<number>"; inherits: true; initial-value: 0 } @property --tossup-opacity { syntax: "<number>"; inherits: true; initial-value: 0 }',
  'values that are none':
    '.poll, .options, .option, .label { --tossup-padding-left: red !important; --tossup-min-height: red !important; --tossup-choice-width: red !important; --tossup-max-width: red !important; --tossup-scale: red !important; --tossup-opacity: red !important; --tossup-letter-spacing: red !important; --tossup-brightness: red !important; --tossup-rotate: red !important; --tossup-translate-x: red !important; --tossup-row-gap: red !important }',
  'values that are huge':
    '.poll, .options, .option, .label { --tossup-padding-left: 1e9px !important; --tossup-min-height: 1e9px !important; --tossup-choice-width: 1e9px !important; --tossup-max-width: 1e9px !important; --tossup-letter-spacing: 1e9px !important; --tossup-border-left-width: 1e9px !important; --tossup-translate-y: 1e9px !important }',
}

/** Rules against the surroundings of the poll: the wrapper of the element, its cards, and the parts beside them. */
export const hostileAround: Readonly<Record<string, string>> = {
  'no wrapper': '.inside { display: none !important }',
  'no box of the wrapper': '.inside { content-visibility: hidden !important } .card { display: contents !important }',
  'no opacity of the wrapper': '.inside { opacity: 0 !important } .card { opacity: .01 !important }',
  'a wrapper of no size':
    '.inside, .card { width: 0 !important; height: 0 !important; max-height: 0 !important; overflow: hidden !important }',
  'a wrapper mirrored, which swaps the choices': '.inside { transform: scaleX(-1) !important }',
  'a card mirrored by our scale': '.card { scale: -1 1 !important }',
  'a wrapper turned round': '.inside { rotate: 180deg !important } .card { writing-mode: vertical-rl !important }',
  'a wrapper off the page': '.inside { position: fixed !important; left: -9999px !important }',
  'a card off the page': '.card { translate: -9999px 0 !important; margin-left: -9999px !important }',
  'a wrapper cut away':
    '.inside { clip-path: inset(50%) !important } .card { mask: linear-gradient(transparent, transparent) !important }',
  'a wrapper without colours':
    '.inside { filter: brightness(0) !important } .card { mix-blend-mode: lighten !important }',
  'a wrapper that cannot be used': '.inside { pointer-events: none !important; interactivity: inert !important }',
  'a wrapper in columns':
    '.inside { columns: 9 !important; padding: 0 45% !important; border: 900px solid #fff !important }',
  'covered by what the wrapper generates':
    '.inside::after, .card::before, .stepper::after { content: "" !important; display: block !important; position: fixed !important; inset: 0 !important; z-index: 99 !important; background: #fff !important }',
  'covered by a part beside the card':
    '.farewell { position: fixed !important; inset: 0 !important; z-index: 2147483647 !important; height: 700px !important; background: #fff !important }',
  'covered by a part pulled over the card':
    '.farewell { margin-top: -600px !important; height: 700px !important; background: #fff !important; z-index: 9 !important }',
  'covered by the shadow of a part':
    '.stepper { z-index: 9 !important; clip-path: none !important; box-shadow: 0 0 0 9999px #fff !important; outline: 900px solid #fff !important }',
  'pushed down by the stepper':
    '.stepper { height: 1e6px !important; margin: 1e6px !important; padding: 1e6px !important }',
  'gone by animation of the wrapper':
    '@keyframes gone { from, to { opacity: 0; transform: translateX(-9999px) } } .inside, .card { animation: gone 1s infinite !important }',
}

/** With a vote, the numbers must be readable and the bars true. */
export const hostileToResults: Readonly<Record<string, string>> = {
  'no number':
    '.share, .figure { opacity: 0 !important; visibility: hidden !important; display: none !important; font-size: 0 !important }',
  'letters and numbers faint on a red ground':
    '.option { background: radial-gradient(red, transparent) content-box !important; opacity: 0 !important; --tossup-opacity: 0 !important }',
  'no result': '.result { display: none !important; position: absolute !important; left: -999px !important }',
  'no result of one':
    '.option-a .result { height: 0 !important; padding: 0 !important; overflow: hidden !important; max-height: 0 !important }',
  'a number in the colour of its ground':
    '.option, .share { background: #fff !important; color: #fff !important } .figure { color: transparent !important; text-shadow: none !important; -webkit-text-fill-color: transparent !important }',
  'a number beside itself':
    '.figure { text-indent: -999px !important; letter-spacing: 99px !important; overflow: hidden !important }',
  'a number covered':
    '.bar, .mark { box-shadow: 0 0 0 99px #fff !important; margin: -99px !important; z-index: 9 !important; outline: 99px solid #fff !important }',
  'a number covered by its picture or what is generated':
    '.frame, .option::after { content: "" !important; display: block !important; position: absolute !important; inset: -20px !important; background: #fff !important; z-index: 9 !important }',
  'a short bar': '.option-a .bar { width: 5px !important; flex: none !important; max-width: 5px !important }',
  'a bar filled by its cap': '.fill { stroke-width: 400 !important; stroke-linecap: square !important }',
  'a bar in dashes': '.fill { stroke-dasharray: 3 9 !important }',
  'a bar filled by a turn': '.fill { transform: scaleX(3) !important; scale: 3 1 !important; zoom: 3 !important }',
  'a bar of no room': '.bar { padding: 0 90px !important; border: 90px solid !important; height: 0 !important }',
  'the other mark': '.unmarked { visibility: visible !important } .mark { visibility: hidden !important }',
  'every measure':
    '* { padding: 1e9px !important; margin: 1e9px !important; border: 1e9px solid !important; gap: 1e9px !important; height: 1e9px !important; min-height: 1e9px !important }',
  'parts without boxes': '.tossup * { display: contents !important; font-size: 500px !important }',
}

/** With labels out of view, the pictures identify the options. */
export const hostileToPictures: Readonly<Record<string, string>> = {
  'blurred from in front':
    '.option * { backdrop-filter: blur(99px) contrast(0) !important } .band, .label { clip-path: none !important; width: 100% !important; height: 100% !important; position: absolute !important; inset: 0 !important }',
  'no picture': '.picture { display: none !important }',
  'no frame': '.frame { display: none !important; visibility: hidden !important }',
  'no opacity': '.picture, .frame { opacity: 0 !important }',
  'no size': '.picture { width: 0 !important; height: 0 !important; min-height: 0 !important }',
  'all padding':
    '.picture { padding: 500px !important; box-sizing: border-box !important; background: #fff !important }',
  'moved within':
    '.picture { object-position: 9999px 0 !important; object-fit: none !important; object-view-box: inset(99%) !important }',
  'moved away':
    '.option-b .picture { position: fixed !important; left: -9999px !important; transform: translate(-9999px) !important }',
  swapped:
    '.option-a .picture { transform: translateX(110%) !important } .option-b .picture { transform: translateX(-110%) !important }',
  'filtered away': '.picture, .frame { filter: opacity(0) !important }',
  covered:
    '.option::after { content: "" !important; display: block !important; position: absolute !important; inset: 0 !important; background: #fff !important; z-index: 9 !important }',
  'covered by its label':
    '.band, .label { grid-area: auto !important; clip-path: none !important; width: 100% !important; height: 100% !important; background: #fff !important; z-index: 9 !important; position: absolute !important; inset: 0 !important }',
  'covered by its result':
    '.result { position: absolute !important; inset: 0 !important; height: 100% !important; max-height: none !important; background: #fff !important; z-index: 9 !important }',
  'too low for what lies on it':
    '.frame, .picture { aspect-ratio: 99 !important; min-height: 0 !important } .result { --tossup-padding-top: 9rem !important; --tossup-padding-bottom: 9rem !important; padding-block: 9rem !important; background: #fff !important } .bar { color: #fff !important }',
  'pushed down':
    '.frame { display: contents !important } .picture { height: 1e6px !important; min-height: 1e6px !important; margin: 1e5px 0 !important }',
  masked: '.picture { mask: linear-gradient(transparent, transparent) !important; clip-path: circle(0) !important }',
}

/** Stylesheets of which nothing is refused: only the integrity layer can stop these. */
export const allowedSheets: Readonly<Record<string, string>> = {
  'no options': '.options, .option { display: none }',
  'no label': '.label { display: none }',
  'no label by a theme of its own': '.tossup .option .label { display: none !important }',
  'letters in the colour of their ground': '.option, .label { background: #fff; color: #fff }',
  'letters in the grey of their ground':
    '.option, .label { background: #808080; color: #808080; text-shadow: 0 0 64px #808080 }',
  'letters without a colour': '.label { color: transparent; text-shadow: none }',
  'letters of the least size': '.option, .label { font-size: 11px; letter-spacing: -1px; line-height: 1 }',
  'faint from part to part':
    '.poll, .options, .option, .label { opacity: .75; filter: grayscale(1) brightness(.9) } .option { background: #fff; color: #eee }',
  'every measure at its most':
    '.poll, .brand, .title, .options, .option, .label, .foot { padding: 48px; margin: 32px; border: 8px solid #fff; gap: 32px }',
  'every measure at its most, of the largest letters':
    '.poll, .options, .option, .label { padding: 2em; margin: 1.3em; border: .33em solid; gap: 1.3em; font-size: 40px; letter-spacing: .25em }',
  'no room': '.options, .option, .label { width: 32px; height: 0; min-height: 0; max-width: 96px; padding: 0 }',
  'no room for one': '.option-b { width: 32px; max-width: 96px; height: 0; min-height: 0; justify-self: end }',
  'one beside the other where there is no room':
    '.options { grid-template-columns: 1fr 1fr; gap: 32px } .poll { max-width: 96px }',
  'moved from part to part':
    '.poll, .options, .option, .label { transform: translate(6px, 6px) scale(1.04) rotate(1deg) }',
  'moved away from each other':
    '.option-a { transform: translate(6px, 6px) scale(1.04) rotate(1deg) } .option-b { transform: translate(-6px, -6px) scale(1.04) rotate(-1deg) }',
  'covered by shadows':
    '.poll, .options, .option, .label, .foot { box-shadow: 0 0 0 32px #fff, 32px 32px 64px 32px #fff }',
  'pushed down':
    '.brand, .title { min-height: 320px; height: 384px; margin: 32px; padding: 48px; font-size: 40px; line-height: 2; border: 8px solid; width: 32px }',
  'gone by animation':
    '@keyframes go { from, to { opacity: .75; transform: scale(.96); color: #fff } } .poll, .options, .option, .label { animation: go 60s infinite both; background: #fff }',
  'shown late': '.poll, .options, .option, .label { transition: all 10s 10s; opacity: .75 }',
  'seen through a blur': '.option, .label { backdrop-filter: blur(24px) saturate(0); background: none }',
  'tracks within a choice': '.option, .label { grid-template-columns: 1fr 1fr; justify-content: end; display: flex }',
}

/** The same where a vote is shown. */
export const allowedOnResults: Readonly<Record<string, string>> = {
  'no result': '.result { display: none }',
  'no number': '.share { display: none }',
  'no bar': '.bar, .fill { display: none }',
  'no mark': '.mark { display: none; width: 32px; height: 0 }',
  'a number in the colour of its ground':
    '.option, .result { background: #fff } .share { color: #fff; text-shadow: none }',
  'a number without a colour': '.share { color: transparent; font-size: 11px }',
  'a number pushed out': '.result, .share { padding: 48px; margin: 32px; border: 8px solid; min-height: 320px }',
  'a short bar': '.option-a .bar { width: 32px; height: 8px; max-width: 96px; justify-self: end }',
  'a bar in a frame': '.bar { padding: 48px; border: 8px solid #fff; margin: 32px; border-radius: 50% }',
  'a shrunk bar': '.bar, .fill { transform: scale(.96) translate(6px); transition: all 10s; opacity: .75 }',
  'a bar under a ground': '.result, .label { background: #fff; box-shadow: 0 0 0 32px #fff; border: 8px solid #fff }',
  'a mark out of place':
    '.mark { margin: 32px; padding: 48px; transform: translate(6px, 6px); background: #fff; color: #fff }',
}

/** The same where labels are out of sight. */
export const allowedOnPictures: Readonly<Record<string, string>> = {
  'no picture': '.picture { display: none }',
  'no frame': '.frame { display: none }',
  'a small picture': '.picture { width: 32px; height: 0; min-height: 0; max-width: 96px }',
  'a picture that is a border':
    '.picture { border: 8px solid #fff; padding: 48px; margin: 32px; box-shadow: none; aspect-ratio: 32 / 1 }',
  'a low frame': '.frame { height: 0; width: 32px; padding: 48px }',
  'a grey picture':
    '.frame, .picture { filter: contrast(1.2) grayscale(1) brightness(1.15); opacity: .75 } .option { opacity: .75; background: #fff }',
  'covered by its label': '.label { width: 100%; height: 384px; background: #fff; padding: 48px }',
  'covered by its result': '.result { background: #fff; min-height: 320px; padding: 48px }',
}
