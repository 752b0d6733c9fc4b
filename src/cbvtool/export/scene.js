"use strict";
// The page of an exported scene: pure functions first, which tests call with Node, then what needs a browser.

const STEP = Math.PI / 60; // longest arc drawn as one straight edge
const BRIGHTNESS = [1.0, 0.84, 0.74, 0.66]; // of top, outer, inner and side faces: depth without a lamp
const TILT = 38, STEEPEST = 75, FOV = 30; // degrees
const NEAREST = 0.05, FARTHEST = 20, MARGIN = 1.13, TALLEST = 0.33;
const RIBBONS = 10000; // so many relations are ribbons; more are hairlines
const FRAME = 40, FEWEST = 200; // ms that a frame may take while the view moves, relations that are drawn all the same
const FADED = 0.72, FADED_CURVES = 0.15, LIT_RIBBONS = 800;
const FOUND = 30, LISTED = 40, LABELS = 90, NAME_WIDTH = 160; // px that a name has when its segment has less
const radians = (degrees) => degrees * Math.PI / 180;
const clamp = (value, least, most) => Math.min(Math.max(value, least), most);

const TYPES = {u1: Uint8Array, u2: Uint16Array, i2: Int16Array, i4: Int32Array, f4: Float32Array};

function decode(packed) {
  // {type, data: base64, little endian} -> typed array
  const text = atob(packed.data), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new TYPES[packed.type](bytes.buffer);
}

function scene_of(data) {
  // All packed columns as typed arrays.
  const scene = {...data, items: {}, curves: {}, relations: {}};
  for (const part of ["items", "curves", "relations"])
    for (const [name, packed] of Object.entries(data[part])) scene[part][name] = decode(packed);
  scene.count = scene.items.a0.length;
  return scene;
}

function contains(scene, item, other) {
  return other >= item && other < scene.items.end[item];
}

function partners(scene, item) {
  // Who uses an item from outside of it and whom it uses: [[item, relations], ...], most relations first.
  const users = new Map(), used = new Map(), {source, target, count} = scene.relations;
  for (let row = 0; row < source.length; row++) {
    const out = contains(scene, item, source[row]), into = contains(scene, item, target[row]);
    if (out && !into) used.set(target[row], (used.get(target[row]) || 0) + count[row]);
    if (into && !out) users.set(source[row], (users.get(source[row]) || 0) + count[row]);
  }
  const sorted = (map) => [...map].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return {users: sorted(users), used: sorted(used)};
}

function touching(scene, item) {
  // Rows of the curves that begin or end in an item.
  const {source, target} = scene.curves, rows = [];
  for (let row = 0; row < source.length; row++)
    if (contains(scene, item, source[row]) || contains(scene, item, target[row])) rows.push(row);
  return rows;
}

function score(words, name, path) {
  // How well a text fits what was typed: 0 = not at all. Begins like it > holds it > path holds it > letters in order.
  name = name.toLowerCase();
  const at = name.indexOf(words);
  if (at >= 0) return 4000 - 1000 * Math.min(at, 1) - Math.min(name.length, 900);
  path = path.toLowerCase();
  if (path.includes(words)) return 2000 - Math.min(path.length, 900);
  let from = 0, gaps = 0;
  for (const letter of words) {
    const next = name.indexOf(letter, from);
    if (next < 0) return 0;
    gaps += next - from;
    from = next + 1;
  }
  return Math.max(1000 - 20 * gaps - name.length, 1);
}

function search(scene, text) {
  // The items whose names fit best, best first.
  const words = text.trim().toLowerCase();
  if (!words) return [];
  const found = [];
  for (let item = 1; item < scene.count; item++) {
    const fits = score(words, scene.names[item], scene.paths[item]);
    if (fits) found.push([fits, item]);
  }
  return found.sort((a, b) => b[0] - a[0] || a[1] - b[1]).slice(0, FOUND).map((pair) => pair[1]);
}

function shortened(text, most, width_of) {
  // The text, its end replaced by an ellipsis where it is wider than `most`.
  if (width_of(text) <= most) return text;
  const letters = [...text];
  let low = 0, high = letters.length;
  while (low + 1 < high) {
    const middle = low + high >> 1;
    if (width_of(letters.slice(0, middle).join("") + "…") <= most) low = middle; else high = middle;
  }
  return letters.slice(0, low).join("") + "…";
}

function frame_of(camera) {
  // Unit vectors to the right, up, and from the camera into the picture; as in cbvtool/geometry/camera.py.
  const turn = radians(camera.azimuth), tilt = radians(camera.tilt);
  const ahead = [Math.sin(turn), Math.cos(turn)];
  const [ct, st] = [Math.cos(tilt), Math.sin(tilt)];
  return [
    [Math.cos(turn), -Math.sin(turn), 0],
    [ct * ahead[0], ct * ahead[1], st],
    [st * ahead[0], st * ahead[1], -ct],
  ];
}

function project(camera, point, width, height) {
  // [x, y, depth] in pixels from the top left corner.
  const frame = frame_of(camera);
  const away = [0, 1, 2].map((axis) =>
    point[axis] - (axis < 2 ? camera.center[axis] : 0) + camera.distance * frame[2][axis]);
  const [x, y, depth] = frame.map((row) => row[0] * away[0] + row[1] * away[1] + row[2] * away[2]);
  const scale = height / (2 * Math.tan(radians(FOV) / 2)) / (depth || 1e-9);
  return [width / 2 + x * scale, height / 2 - y * scale, depth];
}

function on_disc(camera, px, py, width, height) {
  // The point of the plane z = 0 that is seen at a pixel; null at and above the horizon.
  const half = Math.tan(radians(FOV) / 2), frame = frame_of(camera);
  const across = (px - width / 2) * 2 * half / height, upward = (height / 2 - py) * 2 * half / height;
  const way = [0, 1, 2].map((axis) => across * frame[0][axis] + upward * frame[1][axis] + frame[2][axis]);
  if (way[2] >= -1e-9) return null;
  const eye = [0, 1, 2].map((axis) => (axis < 2 ? camera.center[axis] : 0) - camera.distance * frame[2][axis]);
  const far = -eye[2] / way[2];
  return [eye[0] + far * way[0], eye[1] + far * way[1]];
}

function matrix_of(camera, width, height) {
  // Column-major 4 x 4 for WebGL.
  const [right, up, ahead] = frame_of(camera);
  const focal = 1 / Math.tan(radians(FOV) / 2), aspect = width / height;
  const far = camera.distance + 3, near = Math.max(camera.distance - 3, 0.002 * far);
  const eye = [0, 1, 2].map((axis) => (axis < 2 ? camera.center[axis] : 0) - camera.distance * ahead[axis]);
  const dot = (row) => row[0] * eye[0] + row[1] * eye[1] + row[2] * eye[2];
  const depth = (far + near) / (far - near), shift = -2 * far * near / (far - near);
  const rows = [
    [...right.map((v) => v * focal / aspect), -dot(right) * focal / aspect],
    [...up.map((v) => v * focal), -dot(up) * focal],
    [...ahead.map((v) => v * depth), -dot(ahead) * depth + shift],
    [...ahead, -dot(ahead)],
  ];
  return new Float32Array([0, 1, 2, 3].flatMap((column) => rows.map((row) => row[column])));
}

function fitted(camera, width, height) {
  // Moved so that the whole disc with its blocks and names is seen, in the middle.
  const rim = [];
  for (let k = 0; k < 72; k++) {
    const [x, y] = [Math.sin(k * Math.PI / 36), Math.cos(k * Math.PI / 36)];
    rim.push([MARGIN * x, MARGIN * y, 0], [x, y, TALLEST]);
  }
  const turn = radians(camera.azimuth);
  const centered = (distance) => {
    let low = -1, high = 1, result = camera;
    for (let k = 0; k < 16; k++) {
      const middle = (low + high) / 2;
      result = {...camera, distance, center: [middle * Math.sin(turn), middle * Math.cos(turn)]};
      const y = rim.map((point) => project(result, point, width, height)[1] - height / 2);
      if (Math.min(...y) + Math.max(...y) < 0) low = middle; else high = middle;
    }
    return result;
  };
  let near = 1.5, far = FARTHEST;
  for (let k = 0; k < 20; k++) {
    const distance = (near + far) / 2, tried = centered(distance);
    const good = rim.every((point) => {
      const [x, y] = project(tried, point, width, height);
      return x >= 0 && x <= width && y >= 0 && y <= height;
    });
    if (good) far = distance; else near = distance;
  }
  return centered(far);
}

function ring_mesh(scene) {
  // Triangles of all segments: {position: f32[3 n], item: i32[n], face: u8[n]}, three points for each triangle.
  const {a0, a1, r0, r1, height, leaf} = scene.items, {band0, band1} = scene;
  const position = [], item = [], face = [];
  const quad = (row, sort, ...corners) => {
    for (const corner of [0, 1, 2, 0, 2, 3]) {
      position.push(...corners[corner]);
      item.push(row);
      face.push(sort);
    }
  };
  const at = (angle, radius, z) => [Math.sin(angle) * radius, Math.cos(angle) * radius, z];
  for (let row = scene.count > 1 ? 1 : 0; row < scene.count; row++) {
    const pieces = Math.max(Math.ceil((a1[row] - a0[row]) / STEP - 1e-9), 1);
    const z = height[row], inner = leaf[row] ? band1 : r0[row];
    for (let piece = 0; piece < pieces; piece++) {
      const b = a0[row] + (a1[row] - a0[row]) * piece / pieces;
      const e = a0[row] + (a1[row] - a0[row]) * (piece + 1) / pieces;
      if (!leaf[row] || r1[row] > band1 * (1 + 1e-6))
        quad(row, 0, at(b, inner, 0), at(e, inner, 0), at(e, r1[row], 0), at(b, r1[row], 0));
      if (!leaf[row]) continue;
      quad(row, 0, at(b, band0, z), at(e, band0, z), at(e, band1, z), at(b, band1, z));
      if (z <= 0) continue;
      quad(row, 1, at(e, band1, 0), at(b, band1, 0), at(b, band1, z), at(e, band1, z));
      quad(row, 2, at(b, band0, 0), at(e, band0, 0), at(e, band0, z), at(b, band0, z));
    }
    if (leaf[row] && z > 0)
      for (const angle of [a0[row], a1[row]])
        quad(row, 3, at(angle, band0, 0), at(angle, band1, 0), at(angle, band1, z), at(angle, band0, z));
  }
  return {position: new Float32Array(position), item: new Int32Array(item), face: new Uint8Array(face)};
}

function curve_points(scene, row) {
  // [[x, y], ...] on the disc, twice as many as are stored: points between by the four around them.
  const {points} = scene.curves, samples = scene.samples, scale = scene.curve_scale;
  const known = [];
  for (let k = 0; k < samples; k++) {
    const from = 2 * (row * samples + k);
    known.push([points[from] * scale, points[from + 1] * scale]);
  }
  const result = [known[0]];
  for (let k = 1; k < samples; k++) {
    const [p, q] = [known[k - 1], known[k]];
    const before = k > 1 ? known[k - 2] : [0, 1].map((axis) => 2 * p[axis] - q[axis]);
    const after = k + 1 < samples ? known[k + 1] : [0, 1].map((axis) => 2 * q[axis] - p[axis]);
    result.push([0, 1].map((axis) => (9 * (p[axis] + q[axis]) - before[axis] - after[axis]) / 16), q);
  }
  return result;
}

function ribbons(scene, rows) {
  // Triangles (x, y, share of the way) of some curves, narrower toward the used end.
  const [wide, narrow] = scene.curve_width, last = 2 * (scene.samples - 1), result = new Float32Array(18 * last * rows.length);
  let to = 0;
  for (const row of rows) {
    const points = curve_points(scene, row), left = [], right = [];
    for (let k = 0; k <= last; k++) {
      const [a, b] = [points[Math.max(k - 1, 0)], points[Math.min(k + 1, last)]];
      const long = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1e-9;
      const half = (wide + (narrow - wide) * k / last) / 2 * scene.curves.thickness[row] / 50 / long;
      const [x, y] = [-(b[1] - a[1]) * half, (b[0] - a[0]) * half];
      left.push([points[k][0] + x, points[k][1] + y, k / last]);
      right.push([points[k][0] - x, points[k][1] - y, k / last]);
    }
    for (let k = 0; k < last; k++)
      for (const corner of [left[k], left[k + 1], right[k], left[k + 1], right[k], right[k + 1]]) {
        result.set(corner, to);
        to += 3;
      }
  }
  return result;
}

function hairlines(scene, rows) {
  // Line pieces (x, y, share of the way) of some curves.
  const last = 2 * (scene.samples - 1), result = new Float32Array(6 * last * rows.length);
  let to = 0;
  for (const row of rows) {
    const points = curve_points(scene, row);
    for (let k = 0; k < last; k++)
      for (const end of [k, k + 1]) {
        result.set([points[end][0], points[end][1], end / last], to);
        to += 3;
      }
  }
  return result;
}

function item_colors(scene, theme, mesh, lit) {
  // u8[4 n]: the colour of each point of the mesh; what is not in the set `lit` is faded (null = nothing is).
  const colors = decode(theme.colors), result = new Uint8Array(4 * mesh.item.length);
  for (let point = 0; point < mesh.item.length; point++) {
    const item = mesh.item[point], bright = BRIGHTNESS[mesh.face[point]], faded = lit && !lit.has(item);
    for (let channel = 0; channel < 3; channel++) {
      let value = colors[3 * item + channel] * bright;
      if (faded) value = value * (1 - FADED) + theme.ground[channel] * FADED;
      result[4 * point + channel] = Math.round(value);
    }
    result[4 * point + 3] = 255;
  }
  return result;
}

function picked(mesh, camera, px, py, width, height) {
  // The item that is seen at a pixel: the nearest of all triangles around it; -1 = none.
  const matrix = matrix_of(camera, width, height), {position, item} = mesh, count = item.length;
  const x = px / width * 2 - 1, y = 1 - py / height * 2;
  let found = -1, nearest = Infinity;
  const corner = (point) => {
    const [a, b, c] = [position[3 * point], position[3 * point + 1], position[3 * point + 2]];
    const row = (k) => matrix[k] * a + matrix[k + 4] * b + matrix[k + 8] * c + matrix[k + 12], w = row(3);
    return [row(0) / w - x, row(1) / w - y, row(2) / w, w];
  };
  for (let point = 0; point < count; point += 3) {
    const [p, q, r] = [corner(point), corner(point + 1), corner(point + 2)];
    if (p[3] <= 0 || q[3] <= 0 || r[3] <= 0) continue;
    const shares = [q[0] * r[1] - r[0] * q[1], r[0] * p[1] - p[0] * r[1], p[0] * q[1] - q[0] * p[1]];
    if (Math.min(...shares) < 0 && Math.max(...shares) > 0) continue;
    const depth = (shares[0] * p[2] + shares[1] * q[2] + shares[2] * r[2]) / (shares[0] + shares[1] + shares[2]);
    if (depth < nearest) [found, nearest] = [item[point], depth];
  }
  return found;
}

function id_colors(items) {
  // u8[4 n]: each number as a colour, of which the last bit says nothing: some browsers change it against tracking.
  const result = new Uint8Array(4 * items.length);
  items.forEach((item, point) => result.set([item << 1 & 254, item >> 6 & 254, item >> 13 & 254, 255], 4 * point));
  return result;
}

function id_of(pixels, at) {
  // The number that is painted there; -1 = none.
  return pixels[at + 3] ? pixels[at] >> 1 | pixels[at + 1] >> 1 << 7 | pixels[at + 2] >> 1 << 14 : -1;
}

// -- in a browser --------------------------------------------------------------------------------------------

const SOLID = [
  "attribute vec3 place; attribute vec4 color; uniform mat4 view; varying mediump vec4 tone;" +
  "void main() { gl_Position = view * vec4(place, 1.0); tone = color; }",
  "varying mediump vec4 tone; void main() { gl_FragColor = tone; }",
];
const CURVE = [
  "attribute vec3 place; uniform mat4 view; varying mediump float share;" +
  "void main() { gl_Position = view * vec4(place.xy, 0.0, 1.0); share = place.z; }",
  "precision mediump float; varying float share; uniform sampler2D stops; uniform float alpha;" +
  "void main() { gl_FragColor = vec4(texture2D(stops, vec2(share, 0.5)).rgb, alpha); }",
];
const SHEET = [
  "attribute vec3 place; varying mediump vec2 spot;" +
  "void main() { gl_Position = vec4(place, 1.0); spot = place.xy * 0.5 + 0.5; }",
  "precision mediump float; varying vec2 spot; uniform sampler2D picture; uniform float alpha;" +
  "void main() { gl_FragColor = vec4(texture2D(picture, spot).rgb, alpha); }",
];

function start(page) {
  const get = (id) => page.getElementById(id);
  const scene = scene_of(JSON.parse(get("data").textContent));
  const canvas = get("view"), words = get("words"), tip = get("tip"), details = get("details");
  const gl = canvas.getContext("webgl", {antialias: true});
  if (!gl) {
    get("sorry").hidden = false;
    return;
  }
  const program = ([vertex, fragment]) => {
    const made = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    }
    gl.bindAttribLocation(made, 0, "place");
    gl.bindAttribLocation(made, 1, "color");
    gl.linkProgram(made);
    return made;
  };
  const buffer = (values) => {
    const made = gl.createBuffer();
    fill(made, values);
    return made;
  };
  const fill = (made, values) => {
    gl.bindBuffer(gl.ARRAY_BUFFER, made);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
  };

  const solid = program(SOLID), curve = program(CURVE), sheet = program(SHEET);
  const corners = buffer(new Float32Array([-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0]));
  const mesh = ring_mesh(scene);
  const ring = buffer(mesh.position), ring_color = gl.createBuffer(), ring_id = buffer(id_colors(mesh.item));
  const disc_points = [];
  for (let k = 0; k < 180; k++)
    for (const [angle, radius] of [[0, 0], [k, scene.plane], [k + 1, scene.plane]])
      disc_points.push(Math.sin(angle * Math.PI / 90) * radius, Math.cos(angle * Math.PI / 90) * radius, -0.004);
  const disc = buffer(new Float32Array(disc_points)), disc_color = gl.createBuffer();
  const total = scene.curves.source.length, fine = total <= RIBBONS;
  const all = [...Array(total).keys()];
  const drawn = (fine ? ribbons : hairlines)(scene, all), per = total ? drawn.length / 3 / total : 0;
  const curves = buffer(drawn), lit_curves = gl.createBuffer(), gradient = gl.createTexture();
  let lit_rows = [], lit_count = 0, budget = total, truly = true;

  // What stays while the view rests: the disc with all relations, and which item is seen at each CSS pixel.
  const still = {texture: gl.createTexture(), stale: true};
  const pick = {
    texture: gl.createTexture(), depth: gl.createRenderbuffer(), target: gl.createFramebuffer(), stale: true, pixels: null,
  };
  let camera = {azimuth: 0, tilt: TILT, center: [0, 0], distance: 4.2};
  let fits = true; // nobody has moved the view yet
  let theme = scene.theme, chosen = -1, hovered = -1, moving = false, asked = false, rest = 0, lit = null;
  const size = () => [canvas.clientWidth || 1, canvas.clientHeight || 1];

  function resize() {
    const [width, height] = size(), largest = gl.getParameter(gl.MAX_TEXTURE_SIZE);
    const ratio = Math.min(window.devicePixelRatio || 1, 2, largest / Math.max(width, height));
    for (const each of [canvas, words]) {
      each.width = Math.round(width * ratio);
      each.height = Math.round(height * ratio);
    }
    for (const each of [still, pick]) {
      gl.bindTexture(gl.TEXTURE_2D, each.texture);
      plain_texture(gl.NEAREST);
      each.stale = true;
    }
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    gl.bindRenderbuffer(gl.RENDERBUFFER, pick.depth);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT16, width, height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, pick.target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, pick.texture, 0);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, pick.depth);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    redraw();
  }

  function plain_texture(filter) {
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  }

  function dress() {
    // Colours of the theme.
    const look = scene.themes[theme];
    page.body.dataset.theme = theme;
    const plane = new Uint8Array(4 * 540);
    for (let k = 0; k < 540; k++) plane.set([...look.plane, 255], 4 * k);
    fill(disc_color, plane);
    const stops = new Uint8Array(look.stops.flatMap((color) => [...color, 255]));
    gl.bindTexture(gl.TEXTURE_2D, gradient);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, look.stops.length, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, stops);
    plain_texture(gl.LINEAR);
    still.stale = true;
    light_up();
  }

  function light_up() {
    // What belongs to the item under the pointer, or to the chosen one, keeps its colour.
    const item = hovered > 0 ? hovered : chosen;
    lit = null;
    lit_rows = [];
    lit_count = 0;
    if (item > 0) {
      const {users, used} = partners(scene, item), {parent, end} = scene.items;
      lit = new Set([...users, ...used].map((pair) => pair[0]));
      for (let inside = item; inside < end[item]; inside++) lit.add(inside);
      for (const one of [...lit]) for (let above = parent[one]; above > 0; above = parent[above]) lit.add(above);
      const rows = touching(scene, item);
      if (rows.length > LIT_RIBBONS) {
        lit_rows = rows;
      } else {
        const triangles = ribbons(scene, rows);
        fill(lit_curves, triangles);
        lit_count = triangles.length / 3;
      }
    }
    fill(ring_color, item_colors(scene, scene.themes[theme], mesh, lit));
    redraw();
  }

  function redraw() {
    if (!asked) {
      asked = true;
      requestAnimationFrame(draw);
    }
  }

  function move(next) {
    fits = false;
    camera = {
      ...next, tilt: clamp(next.tilt, 0, STEEPEST), distance: clamp(next.distance, NEAREST, FARTHEST),
      center: next.center.map((value) => clamp(value, -2, 2)),
    };
    moving = still.stale = pick.stale = true;
    clearTimeout(rest);
    rest = setTimeout(() => { moving = false; redraw(); }, 150);
    redraw();
  }

  function use(which, place, color) {
    gl.useProgram(which);
    gl.uniformMatrix4fv(gl.getUniformLocation(which, "view"), false, matrix_of(camera, ...size()));
    gl.bindBuffer(gl.ARRAY_BUFFER, place);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    if (!color) return gl.disableVertexAttribArray(1);
    gl.bindBuffer(gl.ARRAY_BUFFER, color);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, 0, 0);
  }

  function draw_curves(place, kind, ranges, alpha) {
    use(curve, place, null);
    gl.bindTexture(gl.TEXTURE_2D, gradient);
    gl.uniform1f(gl.getUniformLocation(curve, "alpha"), alpha);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE);
    for (const [first, count] of ranges) gl.drawArrays(kind, first, count);
    gl.disable(gl.BLEND);
  }

  function draw_disc() {
    gl.clearColor(...scene.themes[theme].ground.map((channel) => channel / 255), 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.disable(gl.DEPTH_TEST);
    use(solid, disc, disc_color);
    gl.drawArrays(gl.TRIANGLES, 0, 540);
  }

  function draw_relations() {
    // As many as a frame has time for while the view moves; all once it rests, and from then on their picture.
    const kind = fine ? gl.TRIANGLES : gl.LINES, share = lit ? FADED_CURVES : 1;
    if (moving || still.stale) {
      const began = performance.now(), some = moving ? Math.min(Math.ceil(budget), total) : total;
      draw_curves(curves, kind, [[0, some * per]], scene.alpha * (moving ? share : 1));
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)); // waits until they are drawn
      budget = clamp(some * FRAME / (performance.now() - began + 0.1), FEWEST, 2 * some);
    }
    if (!moving) {
      gl.bindTexture(gl.TEXTURE_2D, still.texture);
      if (still.stale) gl.copyTexImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 0, 0, canvas.width, canvas.height, 0);
      still.stale = false;
      draw_disc();
      use(sheet, corners, null);
      gl.bindTexture(gl.TEXTURE_2D, still.texture);
      gl.uniform1f(gl.getUniformLocation(sheet, "alpha"), share);
      gl.enable(gl.BLEND);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
      gl.disable(gl.BLEND);
    }
    if (lit_rows.length) draw_curves(curves, kind, lit_rows.map((row) => [row * per, per]), 1);
    if (lit_count) draw_curves(lit_curves, gl.TRIANGLES, [[0, lit_count]], 1);
  }

  function draw() {
    asked = false;
    gl.viewport(0, 0, canvas.width, canvas.height);
    draw_disc();
    if (total) draw_relations();
    gl.enable(gl.DEPTH_TEST);
    use(solid, ring, ring_color);
    gl.drawArrays(gl.TRIANGLES, 0, mesh.item.length);
    write();
  }

  function seen_items() {
    // Which item is seen at each CSS pixel: (x, y) -> item, or -1.
    const [width, height] = size();
    if (pick.stale) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, pick.target);
      gl.viewport(0, 0, width, height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.DEPTH_TEST);
      use(solid, ring, ring_id);
      gl.drawArrays(gl.TRIANGLES, 0, mesh.item.length);
      pick.pixels = new Uint8Array(4 * width * height);
      gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pick.pixels);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      pick.stale = false;
    }
    return (x, y) => id_of(pick.pixels, 4 * ((height - 1 - Math.floor(y)) * width + Math.floor(x)));
  }

  function reads_truly() {
    // Browsers that resist fingerprinting give noise for what was drawn.
    const pixel = new Uint8Array(4), color = [64, 128, 32, 255];
    gl.bindFramebuffer(gl.FRAMEBUFFER, pick.target);
    gl.clearColor(...color.map((channel) => channel / 255));
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return pixel.every((channel, k) => Math.abs(channel - color[k]) <= 1);
  }

  const item_at = (x, y) => (truly ? seen_items()(x, y) : picked(mesh, camera, x, y, ...size()));

  const order = all_items();
  function all_items() {
    const {a0, a1, level} = scene.items, result = [...Array(scene.count).keys()].slice(1);
    return result.sort((a, b) => level[a] - level[b] || (a1[b] - a0[b]) - (a1[a] - a0[a]));
  }

  function write() {
    // Names, upright in the middle of their segments, as far as there is room.
    const pen = words.getContext("2d"), look = scene.themes[theme], [width, height] = size();
    const ratio = words.width / width, taken = [], {a0, a1, r0, r1, leaf, height: tall, level} = scene.items;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    const seen_at = moving || !truly ? null : seen_items();
    const first = lit ? order.filter((item) => lit.has(item)) : order;
    const pixel = 2 * camera.distance * Math.tan(radians(FOV) / 2) / height;
    for (const item of first.slice(0, 2000)) {
      if (taken.length >= LABELS) break;
      const room = (a1[item] - a0[item]) * r1[item] / pixel, strong = item === chosen || item === hovered;
      if (room < 9 && !lit) continue;
      const on_top = leaf[item] && r1[item] <= scene.band1 * (1 + 1e-6);
      const radius = on_top ? (scene.band0 + scene.band1) / 2 : ((leaf[item] ? scene.band1 : r0[item]) + r1[item]) / 2;
      const angle = (a0[item] + a1[item]) / 2;
      const spot = [Math.sin(angle) * radius, Math.cos(angle) * radius, on_top ? tall[item] : 0];
      const [x, y, depth] = project(camera, spot, width, height);
      const font = strong ? 14 : 12 - Math.min(level[item] - 1, 1);
      pen.font = `${strong ? "bold " : ""}${font}px system-ui, sans-serif`;
      const width_of = (text) => pen.measureText(text).width;
      const text = shortened(scene.names[item], Math.max(room, NAME_WIDTH), width_of), wide = width_of(text);
      if (depth <= 0 || (wide > room && level[item] > 1 && !lit)) continue;
      const box = [x - wide / 2 - 2, y - font * 0.65, x + wide / 2 + 2, y + font * 0.65];
      if (box[0] < 0 || box[1] < 0 || box[2] > width || box[3] > height) continue;
      if (taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
      if (seen_at && seen_at(x, y) !== item) continue;
      taken.push(box);
      pen.lineWidth = 3;
      pen.strokeStyle = `rgba(${look.ground.join(",")},0.85)`;
      pen.strokeText(text, x, y);
      pen.fillStyle = `rgb(${look.text.join(",")})`;
      pen.fillText(text, x, y);
    }
  }

  // -- what is said --------------------------------------------------------------------------------------------

  const element = (name, text, style) => {
    const made = page.createElement(name);
    made.textContent = text; // never markup: names come from the subject
    if (style) made.className = style;
    return made;
  };
  const counted = (count) => `${count.toLocaleString("en")} relation${count === 1 ? "" : "s"}`;

  function lines(item) {
    const values = Object.entries(scene.values).map(([label, texts]) => [label, texts[item]]);
    return [...values, ["Uses", counted(scene.uses[item])], ["Used by", counted(scene.used[item])]];
  }

  function describe(into, item) {
    const table = page.createElement("dl");
    for (const [label, value] of lines(item)) table.append(element("dt", label), element("dd", value));
    into.replaceChildren(element("h2", scene.names[item]), element("p", scene.paths[item], "muted"),
      element("p", scene.sorts[item], "muted"), table);
  }

  function choose(item) {
    chosen = item;
    if (details.hidden !== item <= 0) {
      details.hidden = item <= 0;
      details.style.top = `${get("heading").getBoundingClientRect().bottom + 12}px`;
      page.body.classList.toggle("asked", item > 0); // the picture makes room for the answer
      resize();
      if (fits) fit();
    }
    if (item > 0) {
      describe(details, item);
      const {users, used} = partners(scene, item);
      for (const [title, rows] of [["Uses", used], ["Used by", users]]) {
        if (!rows.length) continue;
        const list = page.createElement("ul");
        const shown = rows.slice(0, LISTED), named = (item) => scene.names[item];
        for (const [other, count] of shown) {
          const alone = shown.filter((each) => named(each[0]) === named(other)).length === 1;
          const row = page.createElement("li"), link = element("button", named(other));
          if (!alone) link.append(element("span", scene.paths[other], "muted"));
          link.title = scene.paths[other];
          link.addEventListener("click", () => choose(other));
          row.append(link, element("span", count.toLocaleString("en"), "muted"));
          list.append(row);
        }
        if (rows.length > LISTED) list.append(element("li", `and ${rows.length - LISTED} more`, "muted"));
        details.append(element("h3", title), list);
      }
    }
    light_up();
  }

  function hover(item, x, y) {
    if (item !== hovered) {
      hovered = item;
      light_up();
      canvas.style.cursor = item > 0 ? "pointer" : "grab";
      if (item > 0) describe(tip, item);
    }
    tip.hidden = item <= 0;
    if (item <= 0) return;
    const [width, height] = size(), {left} = canvas.getBoundingClientRect();
    tip.style.left = `${left + (x + 18 + tip.offsetWidth > width ? Math.max(x - 12 - tip.offsetWidth, 2) : x + 18)}px`;
    tip.style.top = `${Math.max(Math.min(y + 18, height - tip.offsetHeight - 4), 2)}px`;
  }

  // -- hand and keys -------------------------------------------------------------------------------------------

  const fit = (changes) => {
    move(fitted({...camera, ...changes}, ...size()));
    fits = true;
  };
  const top = () => fit({tilt: camera.tilt > 1 ? 0 : TILT});
  function zoom(factor, x, y) {
    const before = on_disc(camera, x, y, ...size());
    const next = {...camera, distance: clamp(camera.distance / factor, NEAREST, FARTHEST)};
    const after = on_disc(next, x, y, ...size());
    if (before && after) next.center = next.center.map((value, axis) => value + before[axis] - after[axis]);
    move(next);
  }
  function pan(dx, dy) {
    const [width, height] = size(), there = on_disc(camera, width / 2 - dx, height / 2 - dy, width, height);
    if (there) move({...camera, center: there});
  }
  const orbit = (dx, dy) => move({...camera, azimuth: camera.azimuth + 0.4 * dx, tilt: camera.tilt - 0.4 * dy});

  const held = new Map();
  let far = 0;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, place(event));
    far = 0;
    hover(-1, 0, 0);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = place(event), before = held.get(event.pointerId);
    if (!before) return hover(item_at(x, y), x, y);
    const [dx, dy] = [x - before[0], y - before[1]];
    far += Math.abs(dx) + Math.abs(dy);
    if (held.size === 2) {
      const [other] = [...held].filter(([id]) => id !== event.pointerId).map((pair) => pair[1]);
      const long = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
      zoom(long([x, y], other) / long(before, other), (x + other[0]) / 2, (y + other[1]) / 2);
      pan(dx / 2, dy / 2);
    } else if (far > 4) {
      if (event.buttons !== 1 || event.shiftKey) pan(dx, dy); else orbit(dx, dy);
    }
    held.set(event.pointerId, [x, y]);
    return undefined;
  });
  const release = (event) => {
    if (held.delete(event.pointerId) && far <= 4 && event.type === "pointerup" && event.button === 0)
      choose(item_at(...place(event)));
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => hover(-1, 0, 0));
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", (event) => { if (item_at(...place(event)) <= 0) fit(); });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(-clamp(event.deltaY * (event.deltaMode ? 30 : 1), -300, 300) / 500), ...place(event));
  }, {passive: false});

  const field = get("search"), results = get("results");
  const show_results = () => {
    const found = search(scene, field.value);
    results.replaceChildren(...found.map((item) => {
      const row = page.createElement("li"), link = element("button", scene.names[item]);
      link.append(element("span", scene.paths[item], "muted"));
      link.addEventListener("click", () => { choose(item); results.hidden = true; });
      row.append(link);
      return row;
    }));
    if (!found.length && field.value.trim()) results.append(element("li", "Nothing found", "muted"));
    results.hidden = !field.value.trim();
    return found;
  };
  field.addEventListener("input", show_results);
  field.addEventListener("focus", () => { if (field.value) show_results(); });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      const [best] = show_results();
      if (best) choose(best);
      results.hidden = true;
    } else if (event.key === "Escape") {
      field.value = "";
      results.hidden = true;
      canvas.focus();
      event.stopPropagation();
    } else if (event.key === "ArrowDown" && results.querySelector("button")) {
      results.querySelector("button").focus();
    }
  });
  const switch_theme = () => { theme = theme === "dark" ? "light" : "dark"; dress(); };
  get("theme").addEventListener("click", switch_theme);
  get("fit").addEventListener("click", () => fit());
  get("top").addEventListener("click", top);
  const KEYS = {
    f: () => fit(), t: top, "/": () => field.focus(), Escape: () => { results.hidden = true; choose(-1); },
    ArrowLeft: () => orbit(-20, 0), ArrowRight: () => orbit(20, 0), ArrowUp: () => orbit(0, -20),
    ArrowDown: () => orbit(0, 20), "+": () => zoom(1.2, size()[0] / 2, size()[1] / 2),
    "-": () => zoom(1 / 1.2, size()[0] / 2, size()[1] / 2),
  };
  page.addEventListener("keydown", (event) => {
    if (event.target === field || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
    if (event.target.tagName === "BUTTON" && event.key.startsWith("Arrow")) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  results.addEventListener("keydown", (event) => {
    const way = {ArrowDown: 1, ArrowUp: -1}[event.key], links = [...results.querySelectorAll("button")];
    if (!way) return;
    event.preventDefault();
    (links[links.indexOf(event.target) + way] || (way < 0 ? field : event.target)).focus();
  });
  window.addEventListener("resize", () => { resize(); if (fits) fit(); });
  window.addEventListener("beforeprint", draw); // what was drawn earlier is not kept
  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => window.location.reload());
  page.fonts?.ready.then(redraw);

  resize();
  truly = reads_truly();
  dress();
  camera = fitted(camera, ...size());
  const [, wanted] = /^#select=(.+)$/.exec(decodeURIComponent(window.location.hash)) || [];
  if (wanted) choose(search(scene, wanted)[0] ?? -1);
}

if (typeof module !== "undefined") {
  module.exports = {
    decode, scene_of, partners, touching, search, shortened, project, on_disc, matrix_of, fitted, ring_mesh, curve_points, ribbons,
    hairlines, item_colors, picked, id_colors, id_of,
  };
} else {
  start(document);
}
