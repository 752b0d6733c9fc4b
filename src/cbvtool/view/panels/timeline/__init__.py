"""The timeline: activity over time under the picture, and the range of it that counts (CBV-9)."""
