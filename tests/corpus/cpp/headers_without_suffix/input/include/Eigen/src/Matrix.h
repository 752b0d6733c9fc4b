#pragma once
class Matrix {};
