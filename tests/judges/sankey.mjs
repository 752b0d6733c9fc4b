// Layouts of d3-sankey. Reads from standard input [{"nodes": n, "links": [[source, target, value], ...]}, ...] and
// writes [{"layer": [...], "ends": [[y0, y1], ...]}, ...]: the column of each node, and where each link leaves and arrives.
import { readFileSync } from "node:fs";
import { sankey } from "d3-sankey";

const drawn = JSON.parse(readFileSync(0, "utf8")).map(({ nodes, links }) => {
  const layout = sankey().nodeWidth(10).nodePadding(14).extent([[0, 0], [1200, 600]]);
  const graph = layout({
    nodes: Array.from({ length: nodes }, (_, index) => ({ index })),
    links: links.map(([source, target, value]) => ({ source, target, value })),
  });
  return { layer: graph.nodes.map((node) => node.layer), ends: graph.links.map((link) => [link.y0, link.y1]) };
});
process.stdout.write(JSON.stringify(drawn));
