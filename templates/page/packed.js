// Unpacks the texts of a page: a zlib stream whose bytes are characters of Ascii85, with "v" instead of "<".

// Five characters stand for four bytes, and the last ones for fewer.
export function textToBytes(text) {
  const bytes = new DataView(new ArrayBuffer(Math.ceil(text.length / 5) * 4));
  for (let at = 0; at * 5 < text.length; at++) {
    let word = 0;
    for (let i = at * 5; i < at * 5 + 5; i++) {
      const code = i < text.length ? text.charCodeAt(i) : 117; // "u", the highest digit
      word = word * 85 + (code === 118 ? 60 : code) - 33;
    }
    bytes.setUint32(at * 4, word);
  }
  return new Uint8Array(bytes.buffer, 0, Math.floor((text.length * 4) / 5));
}

export async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Removes the element with this text.
export async function unpack(id) {
  const packed = document.getElementById(id);
  packed.remove();
  return inflate(textToBytes(packed.textContent));
}

// Explains, above the static page, why the interactive page cannot be opened.
export function showFailure(what, error, instead) {
  const message = document.createElement("p");
  message.className = "message";
  message.textContent = `${what} could not be opened (${error.message}); ${instead}.`;
  document.querySelector("main").prepend(message);
}
