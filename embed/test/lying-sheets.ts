/** Stylesheets that tell another result, another choice or another word. Each is refused, or shows the truth. */
export const lyingSheets: Readonly<Record<string, string>> = {
  'no bar, and another painted below the number':
    '.bar { color: transparent; background: transparent } .fill { stroke: transparent } .option-a .result { background: linear-gradient(90deg, red 97%, #fff 0) }',
  'no bar, and another painted on the option':
    '.bar, .fill { color: #fff; stroke: #fff; background: #fff } .option-a { background: linear-gradient(90deg, red 30%, #fff 0) }',
  'a bar in the colour of its ground': '.bar { color: #eee; background: #eee } .fill { stroke: #eee }',
  'a faint bar': '.bar { color: #ddd; background: #e0e0e0 } .fill { stroke-width: .01 }',
  'a full bar by its ground': '.option-b .bar { background: #4f46e5; color: #4f46e5 }',
  'a bar of its own colour': '.fill { color: #fff; stroke: currentColor } .bar { color: #000; background: #fff }',
  'a bar from a box of no element':
    '.option-a::after { content: ""; display: block; position: absolute; left: 40px; bottom: 12px; width: 60%; height: 10px; background: red; z-index: 3 }',
  'a bar by a shadow': '.option-a { box-shadow: inset 120px 0 0 red } .option-b { box-shadow: inset 12px 0 0 red }',
  'a bar by a shadow of a variable': '.option-a { --s: inset 120px 0 0 red; box-shadow: var(--s) }',
  'a bar by the size of a ground':
    '.option-a { background: linear-gradient(red, red) no-repeat 40px 40px / 60% 8px, #fff }',
  'a bar by the size of a ground, written apart':
    '.option-a { background-image: linear-gradient(red, red); background-size: 60% 8px; background-position: 40px 40px; background-repeat: no-repeat }',
  'a bar by a ground of variables':
    '.option-a { --p: 40px 40px / 60% 8px; background: linear-gradient(red, red) no-repeat var(--p) }',
  'a bar by a variable within a gradient':
    '.option-a { --r: red 60%; --w: #fff 0; background: linear-gradient(90deg, var(--r), var(--w)) }',
  'a bar by a variable of a variable':
    '.option-a { --a: var(--b); --b: linear-gradient(90deg, red 60%, #fff 60%); background: var(--a) }',
  'a bar by a border': '.option-a { border-image: linear-gradient(90deg, red 60%, #fff 0) 30 fill }',
  'a bar by the border of a result':
    '.result { border: 4px solid red; border-left-width: 4px } .option-a .share { border-left: 90px solid red }',
  'a bar by the ground of a share': '.share { background: red; padding-left: 90px; flex: 1; width: 90px }',
  'a bar by a line of the number': '.share { text-decoration: underline 12px red; text-underline-offset: -30px }',
  'a bar by an outline': '.bar, .mark, .result { outline: 30px solid red; outline-offset: 4px }',
  'a bar by the frame': '.frame { height: 8px; width: 70%; background: red } .picture { display: none; opacity: 0 }',
  'a bar by repetition': '.option-a { background: repeating-linear-gradient(90deg, red 0 90px, #fff 90px 100%) }',
  'a bar by an angle': '.option-a { background: conic-gradient(from 90deg, red 50%, #fff 0) }',
  'a bar by a disc': '.option-a { background: radial-gradient(90px, red 99%, #fff 100%) }',
  'a bar by a moving ground':
    '@keyframes go { to { background: linear-gradient(90deg, red 60%, #fff 0); box-shadow: inset 120px 0 red } } .option-a { animation: go 1ms both }',
  'a bar by an early blend': '.option-a { background: linear-gradient(90deg, red 59%, #fff 60%) }',
  'a bar by several colours':
    '.option-a { background: linear-gradient(90deg, red, red, red, red, red, red, #fff, #fff) }',
  'no mark': '.mark { background: transparent; color: transparent; stroke: transparent }',
  'no mark in white': '.option, .mark { background: #fff; color: #fff; stroke: #fff } .mark path { stroke: #fff }',
  'the other mark':
    '.unmarked, .unmarked path { visibility: visible } .option-a .mark { visibility: hidden; width: 0 }',
  'the line of the other mark': '.unmarked path { visibility: visible; stroke: #000; opacity: 1; stroke-width: 4 }',
  'another mark by a box of no element':
    '.option-b .result::after { content: ""; display: block; width: 20px; height: 20px; border-radius: 50%; background: #4f46e5 }',
  'another mark by a ground':
    '.option-b .result { background: radial-gradient(circle at 95% 50%, #4f46e5 9px, #fff 10px) }',
  'another word by boxes of no element':
    '.option-a::before { content: ""; display: block; position: absolute; inset: 0; background: #000; clip-path: polygon(20% 20%, 40% 20%, 40% 80%, 20% 80%) }',
  'another word by shadows':
    '.option-a { box-shadow: inset 60px 0 0 -20px #000, inset 90px 10px 0 -20px #fff, inset 120px 0 0 -20px #000 }',
  'another word by the shadow of letters': '.status, .title, .brand { text-shadow: 0 -120px 0 #000, 0 120px 0 #000 }',
  'another word by layers':
    '.option-a { background: linear-gradient(#000, #000) 20px 20px / 8px 40px no-repeat, linear-gradient(#000, #000) 40px 20px / 8px 40px no-repeat, #fff }',
  'another word by a ground of letters':
    '.label { background: linear-gradient(90deg, #000 50%, #fff 0); background-clip: text }',
}
