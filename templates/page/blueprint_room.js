// The size of the blueprint in its frame: scale, scrolling and the height of the frame.

const SMALLEST_SCALE = 0.12;
const LARGEST_SCALE = 3;
export const READABLE_SCALE = 0.8;
const SMALLEST_HEIGHT = 320; // pixels

export function makeRoom(view) {
  const { parts } = view;
  const { frame, svg, pane } = parts;

  function resize(width = frame.clientWidth) {
    svg.setAttribute("width", String(Math.ceil(view.layout.width * view.scale)));
    svg.setAttribute("height", String(Math.ceil(view.layout.height * view.scale)));
    // a picture that is smaller than its frame is centred
    frame.classList.toggle("roomy", view.layout.width * view.scale < width);
  }

  // Uses the height of the window below the controls, so that the legend is visible without scrolling.
  function takeRoom() {
    const top = frame.getBoundingClientRect().top + window.scrollY;
    const room = Math.max(
      SMALLEST_HEIGHT,
      Math.floor(window.innerHeight - top - parts.note.offsetHeight - parts.legend.offsetHeight - 2),
    );
    if (room === view.room) return;
    view.room = room;
    for (const part of [frame, pane]) part.style.setProperty("--room", `${room}px`);
  }

  // The scale that shows the whole picture if it is readable, otherwise 1.
  function fittingScale() {
    const whole = Math.min(frame.clientWidth / view.layout.width, tallest() / view.layout.height);
    return whole >= READABLE_SCALE ? Math.min(1, whole) : 1;
  }

  function centre(node) {
    const at = view.layout.places.get(node);
    frame.scrollLeft = at.x * view.scale - frame.clientWidth / 2;
    frame.scrollTop = (at.y + at.height / 2) * view.scale - frame.clientHeight / 2;
  }

  function tallest() {
    return Number.parseFloat(getComputedStyle(frame).maxHeight) || window.innerHeight;
  }

  function fitWhole() {
    zoom(Math.min(1, frame.clientWidth / view.layout.width, tallest() / view.layout.height), false);
    frame.scrollLeft = frame.scrollTop = 0;
  }

  function zoom(scale, keep = true, at = [frame.clientWidth / 2, frame.clientHeight / 2]) {
    const chosen = Math.min(LARGEST_SCALE, Math.max(SMALLEST_SCALE, scale));
    const [x, y] = [(frame.scrollLeft + at[0]) / view.scale, (frame.scrollTop + at[1]) / view.scale];
    view.scale = chosen;
    resize();
    if (keep) {
      frame.scrollLeft = x * chosen - at[0];
      frame.scrollTop = y * chosen - at[1];
    }
  }

  function intoView(node) {
    const at = view.layout.places.get(node);
    const room = 40;
    const [left, top] = [(at.x - at.width / 2) * view.scale, at.y * view.scale];
    const [right, bottom] = [(at.x + at.width / 2) * view.scale, (at.y + at.height + 16) * view.scale];
    if (left - room < frame.scrollLeft) frame.scrollLeft = left - room;
    else if (right + room > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = right + room - frame.clientWidth;
    if (top - room < frame.scrollTop) frame.scrollTop = top - room;
    else if (bottom + room > frame.scrollTop + frame.clientHeight) frame.scrollTop = bottom + room - frame.clientHeight;
  }

  return { resize, takeRoom, fittingScale, centre, fitWhole, zoom, intoView };
}
